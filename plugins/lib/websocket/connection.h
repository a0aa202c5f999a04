// WebSocketClient::Connection: one connection, from the name look-up to the end. Shared by its client, the
// thread that watches its socket, and its posted tasks.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "websocket/byte_stream.h"
#include "websocket/callback_gate.h"
#include "websocket/client.h"
#include "websocket/io_thread_impl.h"
#include "websocket/message_reader.h"
#include "websocket/resolver.h"
#include "websocket/url.h"

namespace patchbay::lib {

class WebSocketClient::Connection final : public IoThread::Impl::Watched,
                                          public std::enable_shared_from_this<WebSocketClient::Connection> {
 public:
  Connection(IoThread& io, WebSocketUrl url, WebSocketOptions options, WebSocketCallbacks callbacks);

  void start();                                                           // [io]
  Status send(std::string_view message, bool binary);                     // [any]
  void close(uint16_t code, std::string reason, std::string error = {});  // [io]
  IoThread& io() { return io_; }
  CallbackGate& gate() { return gate_; }
  size_t queued_bytes() const { return queued_bytes_.load(std::memory_order_relaxed); }

 private:
  enum class State { resolving, connecting, tls, upgrade, open, closing, closed };
  // A frame in out_ that is not yet written.
  struct Unsent {
    size_t begin = 0, end = 0;  // offsets in out_
    size_t queued_bytes = 0;
  };

  // connection.cpp: from the look-up to the open WebSocket, and the end
  void on_ready(uint32_t events) override;
  void on_open_ready(uint32_t events);
  void on_resolved(const Resolver::Endpoints& found);
  void connect(std::vector<Endpoint> endpoints);
  void connect_next();
  void limit_attempt();
  bool begin_connect(const Endpoint& endpoint);
  void on_connected();
  void handshake_tls();
  void request_upgrade();
  void read_upgrade();
  void on_opened(std::string_view received);
  void set_deadline(int timeout_ms, std::string what);
  void arm_idle_timer();
  void want(bool read, bool write);
  ByteStream::Moved receive(char* to, size_t size);
  void release_stream();
  void fail(std::string text);
  void set_closed(WebSocketClose close);
  bool is_connecting() const { return state_ < State::open; }

  // connection_messages.cpp: the open WebSocket
  void read();
  void post_read();
  bool handle_received();
  void answer_ping();
  void on_message(const MessageReader::Event& event);
  void on_close_frame(const MessageReader::Event& event);
  void enqueue(std::string_view message, Opcode opcode);
  void append(Opcode opcode, std::string_view payload, size_t queued_bytes);
  void append_control(Opcode opcode, std::string_view payload);
  bool write_queued();
  bool is_kernel_full(size_t written);
  void count_written();
  void end_if_unwritable();
  void connection_lost(const std::string& error);

  // borrowed
  IoThread& io_;
  // owned
  const WebSocketUrl url_;
  const WebSocketOptions options_;
  WebSocketCallbacks callbacks_;
  CallbackGate gate_;
  const std::shared_ptr<LoopTimer> deadline_;
  const std::shared_ptr<LoopTimer> idle_timer_;
  const std::shared_ptr<LoopTimer> attempt_timer_;  // of one address
  TlsContext tls_;
  std::unique_ptr<ByteStream> stream_;
  MessageReader reader_;
  // state
  State state_ = State::resolving;
  Resolver::Ticket look_up_;         // while resolving
  std::vector<Endpoint> endpoints_;  // not tried yet, the next one last
  int64_t connect_until_ms_ = 0;
  std::string last_error_;  // of an endpoint
  std::string upgrade_key_;
  std::string received_head_;  // of the response to the upgrade
  uint32_t watched_events_ = 0;
  std::atomic<bool> open_{false};
  std::atomic<size_t> queued_bytes_{0};
  std::string out_;  // frames, written up to written_
  size_t written_ = 0;
  size_t offered_ = 0;  // to the stream, which must be offered as much again; 0: nothing
  std::deque<Unsent> unsent_;
  size_t unchecked_bytes_ = 0;            // written since is_kernel_full() has asked the kernel
  std::optional<std::string> last_ping_;  // not answered yet
  int64_t received_ms_ = 0;
  bool read_wants_write_ = false;  // see receive()
  bool write_failed_ = false;
  std::string write_error_;
  bool read_posted_ = false;  // a task will go on reading
  uint16_t our_code_ = 0;
  std::string our_error_;
};

}  // namespace patchbay::lib
