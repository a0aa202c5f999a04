// Outcome mails, from the hand-over to the SMTP server.
#include <algorithm>
#include <optional>

#include "plugins/transcripts/transcript_server.h"
#include "runtime/manual_clock.h"
#include "support/smtp_server.h"

using namespace patchbay;
using namespace patchbay::test;
using namespace transcripts_test;

namespace {

constexpr char kMails[] = "/api.ashx/v1/admin/mails";

bool queue_contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string with_mail(uint16_t port, const std::string& tenant = "") {
  return "plugins:\n  probe: {}\n  transcripts: {mail: {host: 127.0.0.1, security: none, "
         "port: " +
         std::to_string(port) +
         ", from: calls@a.example}}\n"
         "tenants: {a.example: {primary: true" +
         tenant + "}, b.example: {}}\n";
}

// Hands a message over and commits. Returns the error, or "".
std::string hand_over(const std::string& call_id, const std::string& to, const std::string& file = "",
                      const std::string& tenant = "a.example") {
  const auto result = probe::ask_host<std::string>([=](const Host& host, auto done) {
    auto tx = std::make_shared<Transaction>(host);
    transcripts::Mail mail;
    mail.tx = tx->handle();
    mail.tenant = tenant;
    mail.call_id = call_id;
    mail.to = to;
    mail.phone = "+4930123456";
    mail.display_name = "Ann";
    mail.outcome = "finished";
    mail.ended_ms = host.wall_ms();
    mail.duration_sec = 9;
    mail.file = file;
    auto lease =
        std::make_shared<Lease<transcripts::Transcripts>>(Lease<transcripts::Transcripts>::query(host));
    lease->call(transcripts::Transcripts::mail, mail, [tx, lease, done](const Result<Empty>& added) {
      if (!added) return done(added.error().text);
      std::move(*tx).commit(
          [done](const Commit& outcome) { done(outcome ? std::string() : outcome.error().text); });
    });
  });
  return result.value_or("no answer");
}

bool is_in_state(const std::string& state) { return ask("GET", kMails, "", {{"state", state}}).total > 0; }
bool wait_for_state(const std::string& state) {
  return probe::eventually([&] { return is_in_state(state); });
}

// Lets the only mail's next attempt become due after each one, until the mail is in that state. The clock
// passes that time by a second only, because the attempt's lease may begin at any moment of the advance.
bool advance_to_state(const std::string& state, core::ManualClock& clock) {
  for (int tries = 1; tries < 100; ++tries) {
    const std::string member = "\"tries\":" + std::to_string(tries) + ",";
    if (!probe::eventually([&] { return queue_contains(ask("GET", kMails).body, member); })) return false;
    if (is_in_state(state)) return true;
    clock.advance(std::chrono::minutes(std::min(1 << std::min(tries - 1, 6), 60)) + std::chrono::seconds(1));
  }
  return false;
}

}  // namespace

TEST_CASE("a mail is sent once, with the transcript, and listed") {
  const SmtpServer smtp;
  TestServer server(with_mail(smtp.port()), nullptr, {probe::entry()});
  REQUIRE(server.start_error() == "");
  CHECK(save(document("oac-1"), "oac-1") == "");
  CHECK(hand_over("oac-1", "ops@example.com", "oac-1.json") == "");
  const auto all = smtp.wait_for(1);
  REQUIRE(all.size() == 1);
  CHECK(queue_contains(all[0].content, "To: ops@example.com\r\n"));
  CHECK(queue_contains(mail_part(all[0].content, "text/plain", 1), "AI: Hello"));
  CHECK(wait_for_state("sent"));
  const auto listed = ask("GET", kMails);
  CHECK(queue_contains(
      listed.body,
      R"({"data":[{"callId":"oac-1","recipient":"ops@example.com","state":"sent","tries":1,"error":"",)"));
  CHECK(queue_contains(listed.body, R"("nextTryUtc":null}]})"));
  CHECK(ask("GET", kMails, "", {}, "b.example").total == 0);
  // A second hand-over of the call is ignored.
  CHECK(hand_over("oac-1", "other@example.com") == "");
  CHECK(hand_over("oac-2", "ops@example.com") == "");
  CHECK(smtp.wait_for(2).size() == 2);
  server.restart();
  CHECK(hand_over("oac-3", "ops@example.com", "gone.json") == "");
  CHECK(smtp.wait_for(3).size() == 3);
  CHECK_FALSE(queue_contains(smtp.messages()[2].content, "attachment"));
}

TEST_CASE("a mail that is not taken is tried again") {
  core::ManualClock clock;
  const SmtpServer smtp;
  TestServer server(with_mail(smtp.port()), &clock, {probe::entry()});
  REQUIRE(server.start_error() == "");
  CHECK(hand_over("oac-1", "later-2@example.com") == "");
  CHECK(advance_to_state("sent", clock));
  CHECK(queue_contains(ask("GET", kMails).body, R"("tries":3)"));
  CHECK(smtp.messages().size() == 1);
}

TEST_CASE("a mail that is not taken for a day is given up") {
  core::ManualClock clock;
  const SmtpServer smtp;
  TestServer server(with_mail(smtp.port()), &clock, {probe::entry()});
  REQUIRE(server.start_error() == "");
  CHECK(hand_over("oac-2", "rcpt-450@example.com") == "");
  CHECK(advance_to_state("given-up", clock));
  CHECK(queue_contains(ask("GET", kMails).body, "the mail server answered: 450 refused for the test"));
  CHECK(queue_contains(server.log(), "could not be sent for a day and is given up"));
  CHECK(queue_contains(server.core().report("metrics"),
                       "patchbay_transcripts_mails_total{result=\"given-up\"} 1"));
}

TEST_CASE("a refused mail, and one to an invalid address, is recorded and not tried again") {
  const SmtpServer smtp;
  TestServer server(with_mail(smtp.port()), nullptr, {probe::entry()});
  REQUIRE(server.start_error() == "");
  CHECK(hand_over("oac-1", "rcpt-550@example.com") == "");
  CHECK(hand_over("oac-2", "a@b.de\r\nDATA") == "");
  CHECK(probe::eventually([&] { return ask("GET", kMails, "", {{"state", "refused"}}).total == 2; }));
  const std::string body = ask("GET", kMails).body;
  CHECK(queue_contains(body, "the mail server answered: 550 refused for the test"));
  CHECK(queue_contains(body, "the recipient is not an address that SMTP takes"));
  CHECK(smtp.messages().empty());
}

TEST_CASE("a mail whose acknowledgement was lost has the same Message-ID when it is sent again") {
  core::ManualClock clock;
  const SmtpServer smtp;
  TestServer server(with_mail(smtp.port()), &clock, {probe::entry()});
  REQUIRE(server.start_error() == "");
  CHECK(hand_over("oac-1", "drop-data@example.com") == "");
  CHECK(probe::eventually([] { return queue_contains(ask("GET", kMails).body, R"("tries":1)"); }));
  clock.advance(std::chrono::minutes(2));
  REQUIRE(smtp.wait_for(2).size() == 2);
  const auto all = smtp.messages();
  CHECK(all.at(0).content == all.at(1).content);
}

TEST_CASE("without a mail server nothing is stored, and that is logged once") {
  TestServer server(kConfig, nullptr, {probe::entry()});
  REQUIRE(server.start_error() == "");
  CHECK(hand_over("oac-1", "ops@example.com") == "");
  CHECK(hand_over("oac-2", "ops@example.com") == "");
  CHECK(ask("GET", kMails).total == 0);
  const std::string log = server.log();
  const std::string line = "no mail server is configured";
  CHECK(queue_contains(log, line));
  CHECK(log.find(line) == log.rfind(line));
}

TEST_CASE("a tenant's own mail server comes before the common one") {
  const SmtpServer common, own;
  TestServer server(
      with_mail(common.port(), ", transcripts: {mail: {host: 127.0.0.1, security: none, port: " +
                                   std::to_string(own.port()) + ", from: own@a.example}}"),
      nullptr, {probe::entry()});
  REQUIRE(server.start_error() == "");
  CHECK(hand_over("oac-1", "ops@example.com") == "");
  const auto all = own.wait_for(1);
  REQUIRE(all.size() == 1);
  CHECK(queue_contains(all[0].envelope, "own@a.example"));
  CHECK(common.messages().empty());
}

TEST_CASE("mails to a server that hangs do not delay another tenant's") {
  std::optional<SmtpServer> smtp(std::in_place);
  TestServer server(with_mail(smtp->port()), nullptr, {probe::entry()});
  REQUIRE(server.start_error() == "");
  for (int i = 0; i < 20; ++i)
    CHECK(hand_over("oac-" + std::to_string(i), "hang@example.com", "", "b.example") == "");
  CHECK(hand_over("oac-1", "ops@example.com") == "");
  const auto all = smtp->wait_for(1);
  REQUIRE(all.size() == 1);
  CHECK(queue_contains(all[0].content, "To: ops@example.com\r\n"));
  CHECK(wait_for_state("sent"));
  CHECK(ask("GET", kMails, "", {{"state", "waiting"}}, "b.example").total == 20);
  smtp.reset();  // otherwise the attempts under way last a minute
}

TEST_CASE("mail settings that would send a password in clear, or have no valid address, are refused") {
  const auto refused = [](const std::string& mail) {
    TestServer server(kConfig, nullptr, {probe::entry()});
    const Status status = server.reload("plugins: {probe: {}, transcripts: {mail: {" + mail +
                                        "}}}\ntenants: {a.example: {primary: true}}\n");
    return status ? std::string() : status.error().text;
  };
  CHECK(refused("host: mx.example, from: a@b.de") == "");
  CHECK(queue_contains(refused("host: mx.example, from: a@b.de, security: none, username: u, password: p"),
                       "without encryption"));
  CHECK(queue_contains(refused("host: mx.example, from: nobody"), "mail.from must be an address"));
  CHECK(queue_contains(refused("host: 'mx.example/x', from: a@b.de"), "host"));
}
