// Asynchronous WebSocket client (RFC 6455) over plain TCP or TLS. One object is one connection; it never
// reconnects.
//
// Threads: callbacks run on the IoThread, one at a time, in order: on_open at most once, then messages, then
// on_close exactly once. Every method may be called from any thread. No callback runs after the destructor
// has returned; it may be called from within a callback.
#pragma once

#include <patchbay/result.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "websocket/io_thread.h"

namespace patchbay::lib {

struct WebSocketOptions {
  struct Header {
    std::string name;
    std::string value;  // may be a secret; never appears in an error text
  };

  std::string url;  // ws:// or wss://
  std::vector<Header> headers;
  std::string user_agent = "patchbay";
  bool verify_peer = true;  // certificate chain and host name
  std::string ca_file;      // trusted in addition to the system's CAs
  int connect_timeout_ms = 5000;
  int handshake_timeout_ms = 5000;  // TLS and the HTTP upgrade together
  int idle_timeout_ms = 0;          // closes the connection after this time without received data; 0: never
  size_t max_message_bytes = 16u << 20;
  size_t max_queue_bytes = 4u << 20;  // limit of the messages not yet written
  int max_unsent_bytes = 16 * 1024;   // unsent data in the kernel; beyond it messages queue here; 0: no limit
  // Called for each resolved address before connecting (against SSRF); an empty function allows all.
  std::function<bool(const std::string& address)> allow_address;
};

struct WebSocketClose {
  uint16_t code = 1006;  // of the close frame; 1006 without one (RFC 6455 section 7.1.5)
  std::string reason;    // from the peer, made printable and truncated
  std::string error;     // why the connection ended without a close frame: "connect: Connection refused"
  int http_status = 0;   // of the response that refused the upgrade
  bool opened = false;
  bool by_us = false;
};

struct WebSocketCallbacks {
  std::function<void()> on_open;
  // A whole message; `data` is valid during the call.
  std::function<void(std::string_view data, bool binary)> on_message;
  std::function<void(const WebSocketClose&)> on_close;
  // Messages left the queue, which send_text() or send_binary() had left there because the socket was full.
  std::function<void()> on_sent = {};
};

class WebSocketClient {
 public:
  // Returns an error only for what needs no network: an invalid URL, or a control character in a header.
  static Result<std::unique_ptr<WebSocketClient>> open(IoThread& io, WebSocketOptions options,
                                                       WebSocketCallbacks callbacks);
  ~WebSocketClient();
  WebSocketClient(const WebSocketClient&) = delete;
  WebSocketClient& operator=(const WebSocketClient&) = delete;

  // Code::exhausted when the queue is full, Code::unavailable when the connection is not open.
  // On the IoThread the message is written at once, and queued only if the socket is full.
  Status send_text(std::string_view message);
  Status send_binary(std::string_view message);
  size_t queued_bytes() const;

  // Starts the closing handshake (at most 2 s) and drops queued messages. `reason` is truncated to 123 bytes.
  void close(uint16_t code = 1000, std::string_view reason = {});

 private:
  class Connection;
  explicit WebSocketClient(std::shared_ptr<Connection> connection);
  std::shared_ptr<Connection> connection_;
};

}  // namespace patchbay::lib
