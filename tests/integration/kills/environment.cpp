#include "environment.h"

#include <doctest/doctest.h>
#include <patchbay/hex.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "crypto/digest.h"

namespace kills {
namespace {

patchbay::support::GeminiScript script() {
  patchbay::support::GeminiScript script;
  script.answer_ms = 200;
  return script;
}

patchbay::test::WebhookReceiver::Options receiver_options() {
  patchbay::test::WebhookReceiver::Options options;
  options.secret = kReceiverSecret;
  return options;
}

std::string signature(const std::string& text) {
  namespace lib = patchbay::lib;
  return "X-Platform-Admin-Signature: " + patchbay::to_hex(lib::hmac_sha256(kReceiverSecret, text)) + "\r\n";
}

std::unique_ptr<patchbay::test::Postgres> start_postgres(bool wanted) {
  if (!wanted) return nullptr;
  auto started = patchbay::test::Postgres::start();
  REQUIRE_MESSAGE(started.ok(), (started ? "" : started.error().text));
  return *std::move(started);
}

}  // namespace

Environment::Environment(bool on_postgres, int no_media_timeout_sec)
    : postgres(start_postgres(on_postgres)), engine(script()), receiver(receiver_options()) {
  const std::string store = postgres ? ", store: \"" + postgres->url() + "\"" : "";
  std::signal(SIGPIPE, SIG_IGN);  // of requests to a server that has just been killed
  std::ofstream config(folder.file("patchbay.yaml"));
  config << "server: {data: data, log: {level: debug}, management: {listen: \"127.0.0.1:0\"}" << store
         << "}\n"
         << "plugins:\n  rest-api: {listen: [\"127.0.0.1:0\"]}\n"
         << "  identity: {issuer: \"https://acme.example\"}\n  media: {}\n  whitelist: {}\n"
         << "  transcripts: {mail: {host: 127.0.0.1, port: " << mails.port()
         << ", security: none, from: calls@example.com}}\n  webhooks: {}\n"
         << "  sip-trunk: {listenPort: 0, noMediaTimeoutSec: " << no_media_timeout_sec << "}\n"
         << "  ai-voice: {maxLoadPercent: 0}\n  engine-gemini: {url: \"" << engine.url() << "\", caFile: \""
         << engine.ca_file() << "\"}\n"
         << "tenants:\n  acme.example:\n    primary: true\n"
         << "    WebPhone: {AdminSharedSecret: " << kReceiverSecret << "}\n"
         << "    ai-voice: {model: gemini-2.5-flash-live, apiKey: test-key, email: ops@example.com,\n"
         << "      greeting: Say hello., ringTimeoutSec: 5}\n"
         << "    sip-trunk: {defaultTrunkId: main, trunks: [{id: main, host: 127.0.0.1, port: "
         << callee.port() << "}]}\n"
         << "    webhooks:\n      allowPrivateReceivers: true\n      subscriptions:\n"
         << "        - {url: \"" << receiver.url("/all") << "\", events: [\"*\"], secret: " << kReceiverSecret
         << "}\n        - {url: \"" << receiver.url("/ends")
         << "\", events: [outbound-ai.finished], secret: " << kReceiverSecret << "}\n";
}

Database Environment::database() const {
  return Database(folder.file("data/patchbay.db"), postgres ? postgres->conninfo() : "");
}

Request create_call(const std::string& phone, const std::string& more, const std::string& key) {
  return {"POST", "/api.ashx/v1/calls", key.empty() ? "" : "Idempotency-Key: " + key + "\r\n",
          R"({"phone":")" + phone + R"(","systemPrompt":"Be brief.")" + more + "}"};
}

Request get_call(const std::string& id) { return {"GET", "/api.ashx/v1/calls/" + id, "", ""}; }
Request hang_up(const std::string& id) { return {"POST", "/api.ashx/v1/calls/" + id + "/hangup", "", ""}; }
Request get_transcript(const std::string& id) { return {"GET", "/api.ashx/v1/transcripts/" + id, "", ""}; }

Request add_number(const std::string& number) {
  Request request{"POST", "/signal.ashx?whitelist=add", "",
                  R"({"number":")" + number + R"(","comment":"kills"})"};
  request.headers = signature("whitelist-add|acme.example|" + std::to_string(request.body.size()));
  return request;
}

bool is_refused(const Answer& answer) {
  if (answer.status == 500) return answer.body.find("the change was not applied") != std::string::npos;
  return answer.status == 503 && json_text(answer.body, "error") == "unavailable" &&
         answer.body.find("took too long") == std::string::npos &&
         answer.head.find("Retry-After: ") != std::string::npos;
}

std::optional<int64_t> recovery_ms(const ServerProcess& server, const std::string& number) {
  const auto begin = std::chrono::steady_clock::now();
  const auto passed = [&] { return std::chrono::steady_clock::now() - begin; };
  while (passed() < std::chrono::minutes(1)) {
    const auto answer = server.ask(add_number(number));
    if (answer && answer->status == 200)
      return std::chrono::duration_cast<std::chrono::milliseconds>(passed()).count();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return {};
}

std::string json_text(const std::string& body, const std::string& member) {
  const std::string mark = "\"" + member + "\":";
  size_t at = body.find(mark);
  if (at == std::string::npos) return {};
  at += mark.size();
  if (body[at] == '"') return body.substr(at + 1, body.find('"', at + 1) - at - 1);
  return body.substr(at, body.find_first_of(",}", at) - at);
}

}  // namespace kills
