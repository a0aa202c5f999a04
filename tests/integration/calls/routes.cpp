// Routes over REST in a whole server: which trunk a call takes, and the paths of their item endpoints.
#include <doctest/doctest.h>

#include <chrono>
#include <map>
#include <string>
#include <thread>

#include "call_server.h"
#include "support/http_client.h"
#include "support/json_without_host.h"

using namespace patchbay;
using namespace patchbay::test;

namespace {

std::string routes_yaml(uint16_t first_port, uint16_t second_port) {
  const auto trunk = [](const std::string& id, uint16_t port) {
    return "{id: " + id + ", host: 127.0.0.1, port: " + std::to_string(port) + "}";
  };
  return R"(plugins:
  rest-api: {listen: "127.0.0.1:0"}
  identity: {issuer: "http://acme.example"}
  media: {}
  whitelist: {}
  transcripts: {}
  ai-voice: {}
  engine-local: {}
  sip-trunk: {listenPort: 0}
tenants:
  acme.example:
    primary: true
    identity: {users: [{username: alice, role: admin, password: alice}]}
    ai-voice: {email: ops@example.com}
    sip-trunk:
      defaultTrunkId: first
      trunks: [)" +
         trunk("first", first_port) + ", " + trunk("second", second_port) + "]\n";
}

// Requests of the admin alice.
class RouteClient {
 public:
  explicit RouteClient(const TestServer& server) : http_(HttpClient::of(server)) {
    REQUIRE(http_.wait_for("POST", "/api.ashx/v1/calls"));
    REQUIRE(http_.wait_for("POST", "/api.ashx/v1/outbound-routes"));
    const auto tokens = json_without_host(
        http_
            .post("/oidc.ashx/token",
                  "grant_type=password&username=alice&password=alice&scope=openid&client_id=patchbay-admin",
                  {"Host: acme.example"})
            .body);
    REQUIRE(tokens);
    bearer_ = "Authorization: Bearer " + std::string((*tokens)["access_token"].text());
  }

  HttpAnswer ask(const std::string& method, const std::string& target, const std::string& body = "") const {
    return http_.ask(method, "/api.ashx/v1/" + target, body, {"Host: acme.example", bearer_});
  }
  HttpAnswer ask_without_bearer(const std::string& target) const {
    return http_.get("/api.ashx/v1/" + target, {"Host: acme.example"});
  }
  // The trunk that a new call took, once it has ended.
  std::string trunk_of_call() const {
    const auto made = ask("POST", "calls", R"({"phone":"+4930123456","systemPrompt":"Be brief."})");
    CHECK(made.status == 200);
    const auto created = json_without_host(made.body);
    REQUIRE(created);
    const std::string id(created->root().text("callId", ""));
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (std::chrono::steady_clock::now() < deadline) {
      const auto call = json_without_host(ask("GET", "calls/" + id).body);
      REQUIRE(call);
      if (call->root().text("status", "").rfind("ended-", 0) == 0)
        return std::string(call->root().text("trunkId", ""));
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return "the call did not end";
  }

 private:
  HttpClient http_;
  std::string bearer_;
};

}  // namespace

TEST_CASE("rows written over REST decide which trunk a call takes, and a moved row counts at once") {
  const std::map<std::string, std::string> busy = {{"status", "486 Busy Here"}, {"extra", "X-Test: 1"}};
  Sipp first = start_sipp("reject", busy, 2);
  Sipp second = start_sipp("reject", busy, 1);
  TestServer server(routes_yaml(first.port(), second.port()));
  REQUIRE(server.start_error() == "");
  const RouteClient client(server);
  CHECK(client.trunk_of_call() == "first");  // the default trunk
  CHECK(client.ask("POST", "outbound-routes", R"({"match":"+49*","trunkIds":["second"]})").status == 201);
  CHECK(client.trunk_of_call() == "second");
  CHECK(client.ask("POST", "outbound-routes", R"({"match":"+4930*","trunkIds":["first"]})").status == 201);
  CHECK(client.ask("PUT", "outbound-routes?match=%2B4930*", R"({"position":1})").status == 200);
  CHECK(client.trunk_of_call() == "first");
  check_sipp(first);
  check_sipp(second);
}

TEST_CASE("H3: items of routes are decoded once, and malformed paths reach no handler") {
  const DeafPort trunk;
  TestServer server(routes_yaml(trunk.port(), trunk.port()));
  REQUIRE(server.start_error() == "");
  const RouteClient client(server);
  for (const char* match : {"*", "+49*"})
    CHECK(
        client
            .ask("POST", "outbound-routes", R"({"trunkIds":["first"],"match":")" + std::string(match) + "\"}")
            .status == 201);
  CHECK(client.ask("POST", "inbound-routes", R"({"did":"+4930123456","user":"alice"})").status == 201);
  struct Case {
    const char* target;
    long status;
  };
  for (const Case& each : {
           Case{"outbound-routes/%2A", 200},
           Case{"outbound-routes/%2a", 200},
           Case{"outbound-routes/%2B49%2A", 200},
           Case{"outbound-routes/+49*", 200},
           Case{"outbound-routes?match=%2B49%2A", 200},
           Case{"outbound-routes?match=+49*", 200},  // the blank is read as +
           Case{"outbound-routes?Match=*", 200},
           Case{"outbound-routes/%252A", 404},
           Case{"outbound-routes?match=%252A", 404},
           Case{"outbound-routes/%252B49%252A", 404},
           Case{"outbound-routes/%2F", 404},
           Case{"outbound-routes/%252F", 404},
           Case{"outbound-routes/%2B49%2A/x", 404},
           Case{"outbound-routes/..", 404},
           Case{"outbound-routes/%00", 400},
           Case{"outbound-routes?match=%00", 400},
           Case{"outbound-routes/%2B49%00%2A", 400},
           Case{"outbound-routes/%C0%AA", 400},  // an overlong *
           Case{"outbound-routes?match=%C0%AA", 400},
           Case{"outbound-routes/%2", 400},
           Case{"outbound-routes?match=*&Match=*", 400},
           Case{"inbound-routes/%2A", 200},
           Case{"inbound-routes/%2B4930123456", 200},
           Case{"inbound-routes?did=+4930123456", 200},
           Case{"inbound-routes/%252A", 404},
           Case{"inbound-routes/%2F", 404},
           Case{"inbound-routes/..", 404},
           Case{"inbound-routes/%00", 400},
           Case{"inbound-routes/%C0%AA", 400},
       }) {
    INFO(each.target);
    CHECK(client.ask("GET", each.target).status == each.status);
    const long open = client.ask_without_bearer(each.target).status;
    CHECK(open >= 400);
    CHECK(open < 500);
  }
}
