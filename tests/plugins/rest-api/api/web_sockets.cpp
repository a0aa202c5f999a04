// WebSockets of a plugin's route: the handshake, messages, limits and closing.
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "stream_server.h"
#include "support/within.h"

using namespace rest_api_test;

TEST_CASE("a WebSocket carries texts and bytes in both directions") {
  const StreamServer server;
  WsClient client(server.port, "/s/echo");
  CHECK(client.answer.status == 101);
  CHECK(client.answer.headers.at("sec-websocket-accept") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  CHECK(client.answer.headers.count("sec-websocket-extensions") == 0);
  CHECK(client.next() == "text:tenant=a.example user= sub=");
  client.send("gr\xc3\xbc\xc3\x9f dich");
  CHECK(client.next() == "text:gr\xc3\xbc\xc3\x9f dich");
  client.send(std::string(60'000, '\xff'), Opcode::binary);
  CHECK(client.next() == "binary:" + std::string(60'000, '\xff'));
  client.send("");
  CHECK(client.next() == "text:");
  CHECK(has(server.management.get("/metrics").body, "patchbay_rest_api_streams{kind=\"websocket\"} 1"));
  client.send(
      "\x03\xe8"
      "bye",
      Opcode::close);
  CHECK(client.next() == "close:1000:bye");
  CHECK(client.next() == "end");
  const auto end = next_end();
  CHECK(end.code == 1000);
  CHECK(end.reason == "bye");
}

TEST_CASE("a plugin closes a WebSocket with its code, after what it has sent") {
  const StreamServer server;
  WsClient client(server.port, "/s/echo");
  client.next();
  client.send("first");
  client.send("close");
  CHECK(client.next() == "text:first");
  CHECK(client.next() == "close:4001:as you wish");
  client.send("\x0f\xa1", Opcode::close);
  CHECK(client.next() == "end");
  CHECK(next_end().code == 4001);
}

TEST_CASE("a WebSocket whose plugin drops it is closed with 1012, and one whose client is lost is 1006") {
  const StreamServer server;
  WsClient client(server.port, "/s/echo");
  client.next();
  client.send("drop");
  CHECK(client.next_close() == "close:1012:the service of this stream has ended");
  WsClient lost(server.port, "/s/echo");
  lost.next();
  lost.client.reset();
  CHECK(next_end().code == 1006);
}

TEST_CASE("a handshake that is not valid is refused before the upgrade") {
  const StreamServer server;
  const auto ask = [&](const std::string& headers) {
    Client client(server.port);
    client.send("GET /s/echo HTTP/1.1\r\nHost: a.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
                headers + "\r\n");
    return client.receive().value_or(Answer{});
  };
  const std::string key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
  const auto old = ask(key + "Sec-WebSocket-Version: 8\r\n");
  CHECK(old.status == 426);
  CHECK(old.headers.at("sec-websocket-version") == "13");
  CHECK(ask("Sec-WebSocket-Version: 13\r\n").status == 400);
  CHECK(ask("Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: short\r\n").status == 400);
  CHECK(ask(key + "Sec-WebSocket-Version: 13\r\n").status == 101);
  CHECK(server.http.get("/s/echo").status == 404);
  CHECK(next_end().code == 1006);
}

TEST_CASE("a handler refuses a WebSocket by an ordinary response, and the connection stays usable") {
  const StreamServer server;
  WsClient client(server.port, "/s/echo?refuse=yes");
  CHECK(client.answer.status == 409);
  client.client.send("GET /s/events/last HTTP/1.1\r\nHost: a\r\n\r\n");
  CHECK(client.client.receive()->status == 200);
}

TEST_CASE("a WebSocket of a role needs a bearer, in Authorization or among the subprotocols") {
  const StreamServer server;
  CHECK(WsClient(server.port, "/s/user").answer.status == 401);
  CHECK(WsClient(server.port, "/s/user?access_token=user-a").answer.status == 401);
  CHECK(WsClient(server.port, "/s/user", "Authorization: Bearer nobody\r\n").answer.status == 401);
  CHECK(
      WsClient(server.port, "/s/user", "Sec-WebSocket-Protocol: chat.v1, bearer.nobody\r\n").answer.status ==
      401);
  CHECK(WsClient(server.port, "/s/user", "Sec-WebSocket-Protocol: chat.v1\r\n").answer.status == 401);
  WsClient direct(server.port, "/s/user", "Authorization: Bearer user-a\r\n");
  CHECK(direct.answer.status == 101);
  CHECK(direct.answer.headers.count("sec-websocket-protocol") == 0);
  CHECK(direct.next() == "text:tenant=a.example user=bob sub=");
  WsClient browser(server.port, "/s/user", "Sec-WebSocket-Protocol: chat.v1, bearer.user-a\r\n");
  CHECK(browser.answer.status == 101);
  CHECK(browser.answer.headers.at("sec-websocket-protocol") == "chat.v1");
  CHECK(browser.next() == "text:tenant=a.example user=bob sub=chat.v1");
  CHECK_FALSE(has(server.core.log(), "user-a"));
  direct.client.reset();
  browser.client.reset();
  CHECK(next_end().code == 1006);
  CHECK(next_end().code == 1006);
}

TEST_CASE("pages of other origins may not open a WebSocket") {
  const StreamServer server;
  const auto status = [&](const char* path, const std::string& origin) {
    WsClient client(server.port, path, "Origin: " + origin + "\r\n");
    const int got = client.answer.status;
    if (got == 101) {
      client.client.reset();
      next_end();
    }
    return got;
  };
  CHECK(status("/s/echo", "https://a.example") == 101);
  CHECK(status("/s/echo", "http://a.example:8080") == 101);
  CHECK(status("/s/echo", "https://evil.example") == 403);
  CHECK(status("/s/echo", "https://a.example.evil.example") == 403);
  CHECK(status("/s/echo", "null") == 403);
  CHECK(status("/s/listed", "https://app.example") == 101);
  CHECK(status("/s/listed", "https://b.example:8443") == 101);
  CHECK(status("/s/listed", "https://b.example") == 403);
  CHECK(status("/s/listed", "https://a.example") == 403);
}

TEST_CASE("the streams of an address and of a tenant are limited") {
  const StreamServer server;
  {
    WsClient first(server.port, "/s/few"), second(server.port, "/s/few");
    CHECK(second.answer.status == 101);
    WsClient third(server.port, "/s/few");
    CHECK(third.answer.status == 429);
    CHECK(third.answer.headers.count("retry-after") == 1);
    WsClient other(server.port, "/s/few-tenant");
    CHECK(other.answer.status == 101);
    CHECK(WsClient(server.port, "/s/few-tenant").answer.status == 503);
  }
  for (int i = 0; i < 3; ++i) CHECK(next_end().code == 1006);
  WsClient again(server.port, "/s/few");
  CHECK(again.answer.status == 101);
  again.client.reset();
  CHECK(next_end().code == 1006);
}

TEST_CASE("a message beyond the limit of its route closes with 1009") {
  const StreamServer server;
  WsClient client(server.port, "/s/small");
  client.next();
  client.send(std::string(100, 'x'));
  CHECK(client.next() == "text:" + std::string(100, 'x'));
  client.send(std::string(101, 'x'));
  CHECK(client.next() == "close:1009:the message is too long");
  CHECK(client.next() == "end");
  CHECK(next_end().code == 1009);
}

TEST_CASE("a client that does not read is closed with 1013, and holds no other") {
  const StreamServer server;
  WsClient lazy(server.port, "/s/small");
  lazy.client.set_receive_buffer(4096);
  WsClient other(server.port, "/s/echo");
  other.next();
  lazy.send("flood 200");
  other.send("still here");
  CHECK(other.next() == "text:still here");
  CHECK(next_end().code == 1013);
  other.client.reset();
  CHECK(next_end().code == 1006);
}

TEST_CASE("a client that reads late learns why it was closed") {
  const StreamServer server;
  WsClient lazy(server.port, "/s/small");
  lazy.send("flood 200");
  CHECK(lazy.next_close() == "close:1013:the client does not read");
  CHECK(next_end().code == 1013);
}

TEST_CASE("a silent client is pinged, and closed when it does not answer") {
  const StreamServer server;
  WsClient client(server.port, "/s/ping");
  client.next();
  for (int i = 0; i < 5; ++i) {
    CHECK(client.next() == "ping:");
    client.send("", Opcode::pong);
  }
  CHECK(client.next() == "ping:");
  CHECK(client.next() == "end");
  const auto end = next_end();
  CHECK(end.code == 1006);
  CHECK(end.reason == "the client did not answer a ping");
}

TEST_CASE("a stream without a message for its idle time is closed with 1001") {
  const StreamServer server;
  WsClient client(server.port, "/s/idle");
  client.next();
  client.send("", Opcode::ping);
  CHECK(client.next() == "pong:");
  CHECK(client.next_close() == "close:1001:there was no message for too long");
  client.send("\x03\xe9", Opcode::close);
  CHECK(next_end().code == 1001);
}

TEST_CASE("a client that sends faster than its plugin works waits, and no message is lost") {
  const StreamServer server;
  const uint64_t before = messages_taken();
  WsClient client(server.port, "/s/hold");
  REQUIRE(client.answer.status == 101);
  std::string frames;
  for (int i = 0; i < 100; ++i) frames += WsClient::frame(Opcode::binary, std::string(60'000, 'x'));
  std::thread sender([&] { client.client.send(frames); });
  CHECK(within(std::chrono::seconds(60), [&] { return messages_taken() > before + 3; }));
  CHECK(server.http.get("/s/events/last").status == 200);
  CHECK(messages_taken() < before + 20);  // those that fit the limit, and one read more
  CHECK(within(std::chrono::seconds(60), [&] {
    release_messages();
    return messages_taken() == before + 100;
  }));
  sender.join();
}

TEST_CASE("every WebSocket is closed with 1012 when the server drains") {
  StreamServer server;
  WsClient client(server.port, "/s/echo");
  client.next();
  std::thread stopping([&] { CHECK(server.core.core().stop()); });
  CHECK(client.next().starts_with("close:1012:"));  // by its plugin's end, which precedes
  client.send("\x03\xf4", Opcode::close);
  stopping.join();
}

TEST_CASE("a route with a wrong kind or method is refused") {
  const StreamServer server;
  CHECK(has(server.core.log(), "route /s/bad: streams have the method GET"));
  CHECK(has(server.core.log(), "route /s/odd: kind is websocket or events, or empty"));
}

TEST_CASE("frames that RFC 6455 forbids close with 1002, and texts that are not UTF-8 with 1007") {
  const StreamServer server;
  const auto mask = [](std::string header) { return header + std::string(4, '\0'); };
  const std::string start = mask(std::string("\x01\x81", 2)) + "a";  // the first part of a text
  const std::vector<std::pair<std::string, std::string>> cases = {
      {std::string("\x81\x01", 2) + "a", "1002"},  // without a mask
      {mask("\xc1\x81") + "a", "1002"},            // RSV1
      {mask("\xa1\x81") + "a", "1002"},            // RSV2
      {mask("\x91\x81") + "a", "1002"},            // RSV3
      {mask("\x83\x81") + "a", "1002"},            // an unknown opcode
      {mask("\x8b\x80"), "1002"},                  // an unknown control opcode
      {mask(std::string("\x09\x80", 2)), "1002"},  // a ping in parts
      {mask(std::string("\x89\xfe\x00\x7e", 4)) + std::string(126, 'x'), "1002"},  // a long ping
      {mask(std::string("\x80\x80", 2)), "1002"},                                  // no message to continue
      {start + mask("\x81\x81") + "b", "1002"},                  // another message in between
      {mask("\x88\x81") + "x", "1002"},                          // half a close code
      {mask("\x88\x82") + "\x03\xed", "1002"},                   // 1005
      {mask(std::string("\x81\xfe\x00\x01", 4)) + "a", "1002"},  // a length that is too long
      {mask(std::string("\x82\xff\x80\x00\x00\x00\x00\x00\x00\x00", 10)), "1002"},  // 2^63
      {mask(std::string("\x82\xff\x7f\xff\xff\xff\xff\xff\xff\xff", 10)), "1009"},  // 2^63 - 1
      {mask("\x81\x82") + "\xc3\x28", "1007"},
      {start + mask(std::string("\x80\x81", 2)) + "\xff", "1007"},
      {mask("\x88\x83") + "\x03\xe8\xff", "1007"},
  };
  for (const auto& [bytes, code] : cases) {
    WsClient client(server.port, "/s/echo");
    client.next();
    client.client.send(bytes);
    CAPTURE(&bytes - &cases.front().first);
    CHECK(client.next().starts_with("close:" + code + ":"));
    CHECK(client.next() == "end");
    CHECK(std::to_string(next_end().code) == code);
  }
}

TEST_CASE("a message may come in parts, with pings in between, and octet by octet") {
  const StreamServer server;
  WsClient client(server.port, "/s/echo");
  client.next();
  const std::string zero(4, '\0');
  const std::string parts = std::string("\x01\x82", 2) + zero + "ab" + "\x89\x81" + zero + "p" +
                            std::string("\x00\x80", 2) + zero + "\x80\x81" + zero + "c";
  for (const char octet : parts) client.client.send({&octet, 1});
  CHECK(client.next() == "pong:p");
  CHECK(client.next() == "text:abc");
  client.client.reset();
  CHECK(next_end().code == 1006);
}
