// A whole server that stops: it is not ready, takes no calls in or out, lets those that run finish until the
// deadline, then ends them with a reason.
#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "call_server.h"
#include "plugins/sip-trunk/raw_peer.h"
#include "support/baresip_phone.h"
#include "support/gemini_server.h"
#include "support/http_client.h"
#include "support/json_without_host.h"
#include "support/test_server.h"
#include "support/within.h"

using namespace patchbay;
using namespace patchbay::test;
using namespace std::chrono_literals;
using support::GeminiServer;

namespace {

std::string yaml(const GeminiServer& gemini, uint16_t trunk_port) {
  return R"(plugins:
  rest-api: {listen: "127.0.0.1:0"}
  identity: {issuer: "http://acme.example"}
  media: {}
  whitelist: {}
  numbers: {}
  transcripts: {}
  ai-voice: {maxLoadPercent: 0}
  engine-gemini: {url: ")" +
         gemini.url() + "\", caFile: " + gemini.ca_file() + R"(}
  sip-trunk: {listenPort: 0}
tenants:
  acme.example:
    primary: true
    ai-voice: {email: ops@example.com, model: gemini-3.8-live, apiKey: test-key}
    numbers: {list: [{name: Reception, number: '+4930111', systemPrompt: Hello.}]}
    sip-trunk:
      defaultTrunkId: main
      trunks: [{id: main, host: 127.0.0.1, port: )" +
         std::to_string(trunk_port) + "}]\n";
}

// A server with one answered call to a telephone.
struct ServerInCall {
  explicit ServerInCall(int64_t drain_ms)
      : phone(Baresip::start({.number = "+4930123456"})),
        server(yaml(gemini, phone->port()), nullptr, {}, {},
               [drain_ms](CoreOptions& options) { options.drain_deadline_ms = drain_ms; }),
        admin(HttpClient::of(server, "admin")),
        management(HttpClient::of(server, "management")) {
    REQUIRE(server.start_error() == "");
    REQUIRE(admin.wait_for("POST", "/api.ashx/v1/calls"));
    REQUIRE(management.get("/readyz").status == 200);
    const HttpAnswer created = post();
    INFO(created.body);
    REQUIRE(created.status == 200);
    id = text_of(created.body, "callId");
    const bool talks = within(10s, [&] { return gemini.seen().audio_ms > 0; });
    INFO(record());
    INFO(server.log());
    REQUIRE(talks);
    REQUIRE(text_of(record(), "status") == "in-flight");
  }

  HttpAnswer post() const {
    return admin.post("/api.ashx/v1/calls?tenant=acme.example",
                      R"({"phone":"+4930123456","systemPrompt":"Be brief."})", {"Host: acme.example"});
  }
  std::string record() const {
    return admin.get("/api.ashx/v1/calls/" + id + "?tenant=acme.example", {"Host: acme.example"}).body;
  }
  std::string record_after_restart() {
    server.restart();
    REQUIRE(server.start_error() == "");
    admin = HttpClient::of(server, "admin");
    REQUIRE(admin.wait_for("GET", "/api.ashx/v1/calls"));
    return record();
  }
  static std::string text_of(const std::string& body, const char* name) {
    const auto json = json_without_host(body);
    return json ? std::string(json->root().text(name, "")) : std::string();
  }
  uint16_t sip_port() const {
    const std::string text = read_text((server.data() / "sip-trunk" / "listening.json").string());
    return static_cast<uint16_t>(std::stoi(text.substr(text.find("127.0.0.1:") + 10)));
  }
  // The final answer to a call of the trunk.
  std::string call_in(const std::string& did, const std::string& call_id) {
    const std::string us = "sip:" + did + "@127.0.0.1:" + std::to_string(sip_port());
    trunk.send(sip_port(),
               trunk.request("INVITE", us, "<sip:+4915112345@127.0.0.1>;tag=1", "<" + us + ">", call_id, 1));
    std::string answer;
    do answer = trunk.receive("SIP/2.0 ", 20'000);
    while (answer.rfind("SIP/2.0 1", 0) == 0);
    return answer;
  }

  GeminiServer gemini;
  Result<Baresip> phone;
  RawPeer trunk;  // at the trunk's address
  TestServer server;
  HttpClient admin, management;
  std::string id;
};

}  // namespace

TEST_CASE("a draining server is not ready, takes no calls in or out, and waits for the one that runs") {
  ServerInCall s(60'000);
  std::thread draining([&] { s.server.core().drain(); });
  CHECK(within(20s, [&] { return s.management.get("/readyz").status == 503; }));
  const HttpAnswer refused = s.post();
  CHECK(refused.status == 502);
  CHECK(refused.body.find("The server is stopping") != std::string::npos);
  for (const char* did : {"+4930111", "+4930999"}) {  // a virtual number, and one that nothing takes
    CAPTURE(std::string(did));
    const std::string answer = s.call_in(did, std::string("late-") + did);
    CHECK(answer.rfind("SIP/2.0 503", 0) == 0);
    CHECK_FALSE(header(answer, "Retry-After").empty());
  }
  CHECK(ServerInCall::text_of(s.record(), "status") == "in-flight");
  s.phone->heard();  // the callee hangs up
  draining.join();
  const std::string record = s.record_after_restart();
  INFO(record);
  CHECK(ServerInCall::text_of(record, "endedReason") == "far-hangup");
  CHECK(ServerInCall::text_of(record, "errorDetail") == "");
}

TEST_CASE("a call that outlives the drain deadline is ended with that reason, and the far end gets BYE") {
  ServerInCall s(1000);
  const auto begin = std::chrono::steady_clock::now();
  s.server.core().drain();
  const auto took = std::chrono::steady_clock::now() - begin;
  MESSAGE("drained in " << std::chrono::duration_cast<std::chrono::milliseconds>(took).count() << " ms");
  CHECK(took >= 1s);
  CHECK(took < 20s);
  const std::string record = s.record_after_restart();
  INFO(record);
  CHECK(ServerInCall::text_of(record, "status") == "ended-failed-final");
  CHECK(ServerInCall::text_of(record, "errorDetail") == "interrupted: the server stopped");
  CHECK(within(20s, [&] { return s.phone->output().find("terminated") != std::string::npos; }));
}
