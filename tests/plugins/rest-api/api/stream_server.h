// A WebSocket client that sends any octets, and a server for it.
#pragma once

#include <doctest/doctest.h>

#include <cstring>
#include <optional>
#include <string>

#include "api_server.h"
#include "plugins/rest-api/client.h"
#include "stream_plugin.h"
#include "websocket/message_reader.h"

namespace rest_api_test {

using patchbay::lib::MessageReader;
using patchbay::lib::Opcode;

inline uint16_t port_of(const HttpClient& http) {
  return static_cast<uint16_t>(std::stoi(http.base_url().substr(http.base_url().rfind(':') + 1)));
}

struct StreamServer {
  patchbay::test::TestServer core;
  HttpClient http{""}, management{""};
  uint16_t port = 0;

  explicit StreamServer(const std::function<void(patchbay::CoreOptions&)>& adjust = nullptr)
      : core(R"(
plugins:
  rest-api: {listen: "127.0.0.1:0", threads: 1, limits: {requestsPerSecond: 1000, burst: 1000}}
  fake-auth: {}
  stream-plugin: {}
tenants:
  a.example: {primary: true}
  127.0.0.1: {}
)",
             nullptr, {stream_plugin(), fake_auth()}, {}, adjust) {
    REQUIRE(core.start_error() == "");
    http = HttpClient::of(core);
    management = HttpClient::of(core, "management");
    port = port_of(http);
    REQUIRE(http.wait_for("GET", "/s/events/last"));
  }
};

class WsClient {
 public:
  static constexpr char kHandshake[] =
      "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

  WsClient(uint16_t port, const std::string& target, const std::string& extra = {}) : client(port) {
    client.send("GET " + target + " HTTP/1.1\r\nHost: a.example\r\n" + kHandshake + extra + "\r\n");
    if (auto response = client.receive()) answer = *response;
  }

  // The whole frame, masked.
  static std::string frame(Opcode opcode, std::string_view payload) {
    std::string out;
    patchbay::lib::append_frame(out, opcode, payload, 0x12345678);
    return out;
  }
  void send(std::string_view text, Opcode opcode = Opcode::text) { client.send(frame(opcode, text)); }

  // "text:...", "binary:...", "ping:...", "pong:...", "close:<code>:<reason>", "end".
  std::string next() {
    while (true) {
      const std::string_view rest = client.rest();
      std::memcpy(reader_.prepare(rest.size() - read_ + 1), rest.data() + read_, rest.size() - read_);
      reader_.commit(rest.size() - read_);
      read_ = rest.size();
      const auto event = reader_.next();
      const std::string payload(event.payload);
      switch (event.kind) {
        case MessageReader::Kind::message:
          return (event.binary ? "binary:" : "text:") + payload;
        case MessageReader::Kind::ping:
          return "ping:" + payload;
        case MessageReader::Kind::pong:
          return "pong:" + payload;
        case MessageReader::Kind::close:
          return "close:" + std::to_string(event.code) + ":" + payload;
        case MessageReader::Kind::none:
          if (!client.read_some()) return "end";
          continue;
        default:
          return "violation";
      }
    }
  }
  // Skips other frames.
  std::string next_close() {
    std::string text = next();
    while (!text.starts_with("close:") && text != "end" && text != "violation") text = next();
    return text;
  }

  Client client;
  Answer answer;

 private:
  MessageReader reader_{100'000'000};
  size_t read_ = 0;
};

}  // namespace rest_api_test
