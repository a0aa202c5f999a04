// WebSockets and server-sent events of plugins that are isolated: the examples chat and live-calls.
#include <doctest/doctest.h>

#include <map>
#include <string>

#include "dialler.h"
#include "plugin_hosts.h"
#include "plugins/rest-api/api/fake_auth.h"
#include "plugins/rest-api/ws_client.h"
#include "support/http_client.h"
#include "support/linked_plugin.h"
#include "support/probe_requests.h"
#include "support/test_server.h"

namespace {

using namespace patchbay;
using rest_api_test::WsClient;

// The server with one of the examples, isolated.
struct IsolatedStreams {
  explicit IsolatedStreams(const std::string& id, const std::string& path)
      : server(
            "plugins:\n  rest-api: {listen: \"127.0.0.1:0\", threads: 1}\n  fake-auth: {}\n  signal: {}\n  " +
                id +
                ": {isolation: process, restarts: {most: 100, within_s: 600}}\n"
                "tenants: {a.example: {primary: true}, localhost: {}}\n",
            nullptr, {rest_api_test::fake_auth(), &test::LinkedPlugin<isolation_test::Signal>::entry},
            {{id, isolation_test::example_file(id)}}) {
    REQUIRE(server.start_error() == "");
    http = test::HttpClient::of(server);
    port = rest_api_test::port_of(http);
    // Once the route is there, it needs a bearer.
    REQUIRE(probe::eventually([&] { return WsClient(port, path).answer.status == 401; }));
  }
  double open_streams(const std::string& kind) {
    return isolation_test::metric(server.core(), "patchbay_rest_api_streams{kind=\"" + kind + "\"}");
  }
  test::TestServer server;
  test::HttpClient http{""};
  uint16_t port = 0;
};

constexpr char kAsAlice[] = "Authorization: Bearer admin-a\r\n";

}  // namespace

TEST_CASE("WebSockets of an isolated plugin work, and its messages keep their order") {
  IsolatedStreams chat("chat", "/chat.ashx");
  WsClient alice(chat.port, "/chat.ashx", kAsAlice);
  REQUIRE(alice.answer.status == 101);
  CHECK(alice.next() == R"(text:{"from":"alice","what":"joined"})");
  for (int i = 0; i < 200; ++i) alice.send(std::to_string(i));
  for (int i = 0; i < 200; ++i)
    CHECK(alice.next() == R"(text:{"from":"alice","what":"said","text":")" + std::to_string(i) + "\"}");
  alice.send(std::string(5000, 'x'));
  CHECK(alice.next_close().starts_with("close:1009:"));
  CHECK(WsClient(chat.port, "/chat.ashx").answer.status == 401);
  CHECK(chat.server.core().stop());
}

TEST_CASE("the WebSockets of an isolated plugin whose process is killed are closed, and open again") {
  IsolatedStreams chat("chat", "/chat.ashx");
  for (int crash = 0; crash < 3; ++crash) {
    CAPTURE(crash);
    WsClient alice(chat.port, "/chat.ashx", kAsAlice), bob(chat.port, "/chat.ashx", kAsAlice);
    REQUIRE(bob.next() != "end");
    CHECK(isolation_test::kill_plugin_hosts() == 1);
    CHECK(alice.next_close().starts_with("close:1012:"));
    CHECK(bob.next_close().starts_with("close:1012:"));
    CHECK(probe::eventually([&] { return chat.open_streams("websocket") == 0; }));
    CHECK(probe::eventually([&] {
      WsClient again(chat.port, "/chat.ashx", kAsAlice);
      return again.answer.status == 101;
    }));
  }
}

TEST_CASE("event streams of an isolated plugin work, and end when its process is killed") {
  IsolatedStreams calls("live-calls", "/live-calls");
  rest_api_test::Client client(calls.port);
  client.send("GET /live-calls HTTP/1.1\r\nHost: a.example\r\nAuthorization: Bearer super\r\n\r\n");
  rest_api_test::Client of_localhost(calls.port);
  of_localhost.send(
      "GET /live-calls?tenant=localhost HTTP/1.1\r\nHost: a.example\r\nAuthorization: Bearer super\r\n\r\n");
  const auto read_to = [](rest_api_test::Client& from, const std::string& end) {
    while (from.rest().find(end) == std::string::npos)
      if (!from.read_some()) return false;
    return true;
  };
  REQUIRE(read_to(client, "retry: 5000\n\n"));
  REQUIRE(read_to(of_localhost, "retry: 5000\n\n"));
  isolation_test::Signal::current->give("call.started", "oac-1");  // of localhost
  CHECK(read_to(of_localhost, "event: call.started\ndata: {}\n\n"));
  CHECK(isolation_test::kill_plugin_hosts() == 1);
  while (of_localhost.read_some()) {
  }
  while (client.read_some()) {
  }
  CHECK(client.rest().find("call.started") == std::string::npos);
  CHECK(of_localhost.rest().ends_with("0\r\n\r\n"));
  CHECK(probe::eventually([&] { return calls.open_streams("events") == 0; }));
}
