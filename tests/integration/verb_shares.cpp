// `patchbay transcript`, `patchbay share` and `patchbay mails` after a call that a telephone answered.
#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <thread>

#include "integration/verb_server.h"
#include "support/http_client.h"
#include "support/sipp_peer.h"
#include "support/smtp_server.h"

using namespace patchbay;
using test::HttpClient;
using test::kPatience;
using test::Said;
using test::Sipp;
using test::SmtpServer;
using test::verb_server_yaml;
using test::VerbServer;

namespace {

std::string yaml_of(const Sipp& telephone, const SmtpServer& smtp) {
  std::string yaml = verb_server_yaml();
  const auto replace = [&yaml](const std::string& what, const std::string& by) {
    REQUIRE(yaml.find(what) != std::string::npos);
    yaml.replace(yaml.find(what), what.size(), by);
  };
  replace("transcripts: {}",
          "transcripts: {mail: {host: 127.0.0.1, security: none, from: calls@one.example, port: " +
              std::to_string(smtp.port()) + "}}");
  replace("ai-voice: {}", "ai-voice: {maxLoadPercent: 0}");
  replace("port: 1, transport: tcp", "port: " + std::to_string(telephone.port()));
  return yaml;
}

Sipp start_telephone() {
  Sipp::Options options;
  options.scenario = SIP_TRUNK_TEST_FOLDER "/sipp/answer_then_bye.xml";
  auto telephone = Sipp::start(options);
  if (!telephone) FAIL(telephone.error().text);
  return *std::move(telephone);
}

// The list once it has `word`.
Said mails_with(VerbServer& server, const std::string& word) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (true) {
    Said said = server.ask({"mails"});
    if (said.has(word) || std::chrono::steady_clock::now() > end) return said;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

std::string after(const std::string& text, const std::string& label) {
  const size_t at = text.find(label);
  if (at == std::string::npos) return {};
  return text.substr(at + label.size(), text.find('\n', at) - at - label.size());
}

}  // namespace

TEST_CASE("a transcript is shown, shared, revoked and deleted, and its mail is listed") {
  const Sipp telephone = start_telephone();
  const SmtpServer smtp;
  VerbServer server(yaml_of(telephone, smtp));
  REQUIRE(server.ask({"whitelist", "add", "+4930123456"}).code == 0);
  const Said call = server.ask({"call", "+4930123456", "--prompt", "Hello.", "--watch"});
  INFO(call.text);
  REQUIRE(call.has("ended-success"));
  const std::string id = call.text.substr(call.text.find("oac-"), 16);
  CHECK(server.ask({"transcript", id}).text.rfind(id + "  +4930123456  ", 0) == 0);
  CHECK(server.ask({"transcript", id, "--json"}).has(R"("outcome":"far-hangup")"));

  const Said made = server.ask({"share", "create", id, "--hours", "24"});
  const std::string share = after(made.text, "id       "), path = after(made.text, "path     ");
  CHECK(made.has("expires  20"));
  const HttpClient http("http://localhost", server.program.folder.file("data/admin.sock"));
  CHECK(http.get(path, {"Accept: application/json"}).status == 200);
  CHECK(server.ask_on_terminal({"share", "list"})
            .has(share + "  \u2026" + path.substr(path.size() - 8) + "  " + id + ".json  "));
  CHECK(server.ask({"share", "create", id, "--hours", "0"}).has("expires  never\n"));
  CHECK(server.ask({"share", "list", "--json"}).has(R"("total":2)"));
  CHECK(server.ask({"share", "revoke", share}).text == "revoked\n");
  CHECK(http.get(path, {"Accept: application/json"}).status == 404);
  CHECK_FALSE(server.ask({"share", "list"}).has(share));

  const Said mails = mails_with(server, "  sent  ");
  CHECK(mails.has("CALL              CREATED (UTC)"));
  CHECK(mails.has(id));
  CHECK(mails.has("  a@example.com  sent  "));
  CHECK(server.ask({"mails", "--state", "waiting"}).text == "none\n");
  CHECK(server.ask({"mails", "--state", "sent", "--json"}).has(R"("callId":")" + id));
  CHECK(server.ask({"mails", "--state", "lost"}).has("400 invalid_request"));

  CHECK(server.ask({"transcript", id, "--delete"}).text == "deleted\n");
  CHECK(server.ask({"transcript", id}).has("404 not_found"));
  CHECK(server.ask({"share", "list"}).text == "none\n");
}
