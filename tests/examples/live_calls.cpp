#include <doctest/doctest.h>
#include <patchbay/bus.h>
#include <patchbay/plugin.h>

#include "example.h"
#include "plugins/rest-api/api/fake_auth.h"
#include "plugins/rest-api/ws_client.h"
#include "support/http_client.h"
#include "support/linked_plugin.h"
#include "support/test_server.h"

using namespace patchbay;

namespace {

// Publishes events of calls.
class LiveCaller final : public Plugin {
 public:
  static constexpr char manifest[] = R"({"id": "caller", "version": "1.0.0", "emits": ["call.started"]})";
  static constexpr char store_sql[] = "";
  static inline LiveCaller* current = nullptr;
  Status start(const Config&) override {
    current = this;
    return {};
  }
  void call(const std::string& tenant) {
    publish(host(), {"call.started", tenant, "oac-1", "", R"({"of":")" + tenant + "\"}"});
  }
};

}  // namespace

TEST_CASE("a client gets the events of its tenant's calls as they happen") {
  test::TestServer server(
      R"(plugins:
  rest-api: {listen: "127.0.0.1:0", threads: 1}
  fake-auth: {}
  live-calls: {}
  caller: {}
tenants: {a.example: {primary: true}, b.example: {}}
)",
      nullptr,
      {test::example("live-calls"), rest_api_test::fake_auth(), &test::LinkedPlugin<LiveCaller>::entry});
  REQUIRE(server.start_error() == "");
  const auto http = test::HttpClient::of(server);
  REQUIRE(http.wait_for("GET", "/live-calls"));
  rest_api_test::Client client(rest_api_test::port_of(http));
  client.send(
      "GET /live-calls HTTP/1.1\r\nHost: a.example\r\nAccept: text/event-stream\r\n"
      "Authorization: Bearer user-a\r\n\r\n");
  const auto read_to = [&](const std::string& end) {
    while (client.rest().find(end) == std::string::npos)
      if (!client.read_some()) return false;
    return true;
  };
  REQUIRE(read_to("retry: 5000\n\n"));
  LiveCaller::current->call("b.example");
  LiveCaller::current->call("a.example");
  CHECK(read_to("event: call.started\ndata: {\"of\":\"a.example\"}\n\n"));
  CHECK(client.rest().find("b.example") == std::string::npos);
  CHECK(http.get("/live-calls").status == 401);
  CHECK(server.core().stop());
  CHECK(read_to("0\r\n\r\n"));
}
