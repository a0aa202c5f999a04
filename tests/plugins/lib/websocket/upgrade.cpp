#include "websocket/upgrade.h"

#include <doctest/doctest.h>

#include <string>

using namespace patchbay::lib;

namespace {

// The example of RFC 6455 section 1.3.
constexpr const char* kKey = "dGhlIHNhbXBsZSBub25jZQ==";
constexpr const char* kAccept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

std::string response(const std::string& fields) {
  return "HTTP/1.1 101 Switching Protocols\r\n" + fields + "\r\n";
}

std::string good() {
  return response(
      std::string("upgrade: WebSocket\r\nConnection: keep-alive, Upgrade\r\nSec-WebSocket-Accept:  ") +
      kAccept + " \r\n");
}

std::string error_of(const std::string& text) {
  const auto read = read_upgrade_response(text, kKey);
  if (!read) return read.error().text;
  return *read ? (*read)->error : "needs more";
}

}  // namespace

TEST_CASE("upgrade: the request") {
  WebSocketUrl url = *parse_websocket_url("wss://engine.example:444/path?a=b");
  WebSocketOptions options;
  options.headers = {{"x-key", "SECRET"}, {"user-agent", "other"}};
  CHECK(write_upgrade_request(url, options, kKey) ==
        "GET /path?a=b HTTP/1.1\r\nHost: engine.example:444\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nx-key: SECRET\r\n"
        "user-agent: other\r\n\r\n");
}

TEST_CASE("upgrade: a response that opens the WebSocket, in parts and with frames behind it") {
  const std::string text = good() + "\x81";
  for (size_t size = 0; size < good().size(); ++size) CHECK(error_of(text.substr(0, size)) == "needs more");
  const auto read = read_upgrade_response(text, kKey);
  REQUIRE(read.ok());
  REQUIRE(read->has_value());
  CHECK((*read)->status == 101);
  CHECK((*read)->error == "");
  CHECK((*read)->bytes == good().size());
}

TEST_CASE("upgrade: a response without an upgrade, with another key or with an extension is refused") {
  const std::string accept = std::string("Sec-WebSocket-Accept: ") + kAccept + "\r\n";
  const std::string upgrade = "Upgrade: websocket\r\n", connection = "Connection: Upgrade\r\n";
  CHECK(error_of(response(upgrade + connection + accept)) == "");
  CHECK(error_of(response(upgrade + accept)).find("does not upgrade") != std::string::npos);
  CHECK(error_of(response(connection + accept)).find("does not upgrade") != std::string::npos);
  CHECK(error_of(response("Upgrade: h2c\r\n" + connection + accept)).find("does not upgrade") !=
        std::string::npos);
  CHECK(error_of(response(upgrade + connection)).find("key") != std::string::npos);
  CHECK(error_of(response(upgrade + connection + "Sec-WebSocket-Accept: abc\r\n")).find("key") !=
        std::string::npos);
  CHECK(error_of(response(upgrade + connection + accept + accept)).find("key") != std::string::npos);
  CHECK(error_of(response(upgrade + connection + accept + "Sec-WebSocket-Accept: abc\r\n")).find("key") !=
        std::string::npos);
  CHECK(error_of(response(upgrade + connection + "Sec-WebSocket-Accept: abc\r\n" + accept)).find("key") !=
        std::string::npos);
  CHECK(error_of(response(upgrade + connection + accept + "Sec-WebSocket-Extensions: permessage-deflate\r\n"))
            .find("extension") != std::string::npos);
}

TEST_CASE("upgrade: another status is no error of the response") {
  const auto read = read_upgrade_response("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n", kKey);
  REQUIRE(read.ok());
  REQUIRE(read->has_value());
  CHECK((*read)->status == 403);
  CHECK((*read)->error == "");
}

TEST_CASE("upgrade: what is not HTTP is refused") {
  for (const std::string& text :
       {std::string("SSH-2.0\r\n\r\n"), std::string("HTTP/1.1 1x1 a\r\n\r\n"),
        std::string("HTTP/2 101 a\r\n\r\n"), std::string("HTTP/1.x 101 a\r\n\r\n"),
        std::string("HTTP/1.1 99\r\n\r\n"), std::string("HTTP/1.1 1010\r\n\r\n"), response("no colon\r\n"),
        response(": no name\r\n"), response(" folded: x\r\n")})
    CHECK_FALSE(read_upgrade_response(text, kKey).ok());
  CHECK_FALSE(read_upgrade_response(std::string(20'000, 'x'), kKey).ok());
  CHECK_FALSE(read_upgrade_response(response("x: " + std::string(20'000, 'x') + "\r\n"), kKey).ok());
}
