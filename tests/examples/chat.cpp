#include <doctest/doctest.h>

#include "example.h"
#include "plugins/rest-api/api/fake_auth.h"
#include "plugins/rest-api/ws_client.h"
#include "support/http_client.h"
#include "support/test_server.h"

using namespace patchbay;
using rest_api_test::WsClient;

TEST_CASE("users of a tenant chat with each other over WebSockets") {
  test::TestServer server(R"(plugins:
  rest-api: {listen: "127.0.0.1:0", threads: 1}
  fake-auth: {}
  chat: {}
tenants: {a.example: {primary: true}, b.example: {}}
)",
                          nullptr, {test::example("chat"), rest_api_test::fake_auth()});
  REQUIRE(server.start_error() == "");
  const auto http = test::HttpClient::of(server);
  const uint16_t port = rest_api_test::port_of(http);
  REQUIRE(test::eventually([&] { return WsClient(port, "/chat.ashx").answer.status == 401; }));
  WsClient alice(port, "/chat.ashx", "Sec-WebSocket-Protocol: chat.v1, bearer.admin-a\r\n");
  CHECK(alice.answer.status == 101);
  CHECK(alice.next() == R"(text:{"from":"alice","what":"joined"})");
  WsClient carol(port, "/chat.ashx", "Sec-WebSocket-Protocol: chat.v1, bearer.admin-b\r\n");
  CHECK(carol.next() == R"(text:{"from":"carol","what":"joined"})");
  {
    WsClient bob(port, "/chat.ashx", "Sec-WebSocket-Protocol: chat.v1, bearer.user-a\r\n");
    CHECK(bob.next() == R"(text:{"from":"bob","what":"joined"})");
    CHECK(alice.next() == R"(text:{"from":"bob","what":"joined"})");
    bob.send("Hello \"all\"");
    CHECK(alice.next() == R"(text:{"from":"bob","what":"said","text":"Hello \"all\""})");
    CHECK(bob.next() == R"(text:{"from":"bob","what":"said","text":"Hello \"all\""})");
    bob.send("x", rest_api_test::Opcode::binary);
    CHECK(bob.next() == "close:1003:send text");
  }
  CHECK(alice.next() == R"(text:{"from":"bob","what":"left"})");
  CHECK(WsClient(port, "/chat.ashx").answer.status == 401);
  CHECK(server.core().stop());
  CHECK(carol.next().starts_with("close:1012:"));
}
