// The sender against a real SMTP server.
#include "mail/smtp_sender.h"

#include <doctest/doctest.h>
#include <sys/socket.h>

#include <chrono>
#include <fstream>
#include <future>

#include "support/child_process.h"
#include "support/free_ports.h"
#include "support/self_signed_certificate.h"
#include "support/smtp_server.h"

using namespace patchbay::transcripts;
using patchbay::test::SmtpServer;
using patchbay::test::TempFolder;
using Kind = SmtpResult::Kind;
using Security = MailServer::Security;

namespace {

constexpr int64_t kTimeoutMs = 20'000;
const std::string kContent = "Subject: x\r\n\r\nline\r\n.\r\n..dots\r\n.QUIT\r\nend\r\n";

SmtpMessage message(const SmtpServer& server, const std::string& to = "ops@example.com",
                    Security security = Security::none) {
  SmtpMessage out;
  out.server.host = "127.0.0.1";
  out.server.port = server.port();
  out.server.security = security;
  out.server.sender.from = "calls@a.example";
  out.client_name = "a.example";
  out.recipient = to;
  out.content = kContent;
  return out;
}

SmtpResult send(SmtpMessage what, int64_t timeout_ms = kTimeoutMs) {
  auto promise = std::make_shared<std::promise<SmtpResult>>();
  auto future = promise->get_future();
  SmtpSender sender(timeout_ms);
  sender.send(std::move(what), [promise](SmtpResult result) { promise->set_value(std::move(result)); });
  if (future.wait_for(std::chrono::seconds(60)) != std::future_status::ready)
    return {Kind::failed, "a minute"};
  return future.get();
}

bool sent_contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

struct Authority {
  TempFolder folder;
  patchbay::support::Certificate certificate = patchbay::support::make_certificate();
  std::string file = folder.file("ca.pem");
  Authority() { std::ofstream(file) << certificate.certificate_pem; }
};

}  // namespace

TEST_CASE("a message arrives unchanged, with its envelope") {
  const SmtpServer server;
  const SmtpResult result = send(message(server));
  CHECK(result.error == "");
  CHECK(result.kind == Kind::sent);
  const auto all = server.wait_for(1);
  REQUIRE(all.size() == 1);
  CHECK(all[0].content == kContent);
  CHECK(sent_contains(all[0].envelope, R"("from": "calls@a.example")"));
  CHECK(sent_contains(all[0].envelope, R"("to": ["ops@example.com"])"));
  CHECK(sent_contains(all[0].envelope, R"("client": "a.example")"));
}

TEST_CASE("a reply of 5xx to sender, recipient or content is a refusal, one of 4xx is not") {
  const SmtpServer server;
  const SmtpResult recipient = send(message(server, "rcpt-550@example.com"));
  CHECK(recipient.kind == Kind::refused);
  CHECK(recipient.error == "the mail server answered: 550 refused for the test");
  CHECK(send(message(server, "data-554@example.com")).kind == Kind::refused);
  CHECK(send(message(server, "rcpt-450@example.com")).kind == Kind::failed);
  const SmtpResult content = send(message(server, "data-451@example.com"));
  CHECK(content.kind == Kind::failed);
  CHECK(sent_contains(content.error, "451 content refused for the test"));
  CHECK(server.messages().empty());
}

TEST_CASE("a server that breaks off, hangs, is away or speaks something else may take the message later") {
  const SmtpServer server;
  CHECK(send(message(server, "drop-rcpt@example.com")).kind == Kind::failed);
  CHECK(send(message(server, "drop-data@example.com")).kind == Kind::failed);
  CHECK(send(message(server, "hang@example.com"), 1000).kind == Kind::failed);
  SmtpMessage away = message(server);
  away.server.port = patchbay::test::free_port();
  CHECK(send(away).error == "could not connect to the mail server");
  SmtpMessage unknown = message(server);
  unknown.server.host = "nothing.invalid";
  CHECK(send(unknown).kind == Kind::failed);
}

TEST_CASE("STARTTLS encrypts and authenticates, with a trusted certificate only") {
  const Authority authority;
  SmtpServer::Options options{authority.certificate.certificate_pem, authority.certificate.key_pem};
  options.user = "calls", options.password = "canary-pa55word";
  const SmtpServer server(options);
  SmtpMessage good = message(server, "ops@example.com", Security::starttls);
  good.server.ca_file = authority.file;
  good.server.username = "calls";
  good.server.password = "canary-pa55word";
  CHECK(send(good).error == "");
  const auto all = server.wait_for(1);
  REQUIRE(all.size() == 1);
  CHECK(sent_contains(all[0].envelope, R"("tls": true)"));
  CHECK(sent_contains(all[0].envelope, R"("user": "calls")"));

  SmtpMessage wrong_password = good;
  wrong_password.server.password = "canary-wrong";
  const SmtpResult denied = send(wrong_password);
  CHECK(denied.kind == Kind::failed);
  CHECK(denied.error == "the mail server does not accept username and password");
  SmtpMessage untrusted = good;
  untrusted.server.ca_file = "";
  CHECK(send(untrusted).error == "the mail server's certificate is not trusted");
  CHECK(send(message(server)).kind != Kind::sent);  // without encryption
  CHECK(server.messages().size() == 1);
}

TEST_CASE("a server without STARTTLS gets nothing") {
  const SmtpServer server;
  const SmtpResult result = send(message(server, "ops@example.com", Security::starttls));
  CHECK(result.kind == Kind::failed);
  CHECK(result.error == "the mail server offers no STARTTLS");
  CHECK(server.messages().empty());
}

TEST_CASE("TLS from the beginning") {
  const Authority authority;
  SmtpServer::Options options{authority.certificate.certificate_pem, authority.certificate.key_pem};
  options.tls = true;
  const SmtpServer server(options);
  SmtpMessage good = message(server, "ops@example.com", Security::tls);
  good.server.ca_file = authority.file;
  CHECK(send(good).error == "");
  CHECK(send(message(server, "ops@example.com", Security::tls)).kind == Kind::failed);
  CHECK(server.messages().size() == 1);
}
