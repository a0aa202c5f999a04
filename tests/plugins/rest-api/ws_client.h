// A WebSocket client that sends any octets.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "plugins/rest-api/client.h"
#include "support/http_client.h"
#include "websocket/message_reader.h"

namespace rest_api_test {

using patchbay::lib::MessageReader;
using patchbay::lib::Opcode;

inline uint16_t port_of(const patchbay::test::HttpClient& http) {
  return static_cast<uint16_t>(std::stoi(http.base_url().substr(http.base_url().rfind(':') + 1)));
}

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
