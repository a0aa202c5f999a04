// ServerStream: a stream as its owner sees it: a WebSocket or an event stream (open_web_socket(),
// open_event_stream()). Frames what the owner sends, enforces the limits, pings, and closes.
#pragma once

#include <patchbay/buffer.h>
#include <patchbay/result.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "exchange.h"
#include "lag.h"
#include "stream_output.h"

namespace patchbay::rest_api {

struct StreamLimits {
  size_t max_message = 0;  // octets of a client's message
  size_t max_unsent = 0;   // octets that a client has not read
  int64_t idle_ms = 0;     // without a message in either direction; 0: any time
  int64_t ping_ms = 0;     // without octets, to the next ping
};

// RFC 6455 7.4.1.
inline constexpr uint16_t kNormalClose = 1000, kIdleClose = 1001, kNoCode = 1005, kLostConnection = 1006,
                          kTooBigClose = 1009, kFailedClose = 1011, kServerStops = 1012, kSlowReader = 1013;

struct StreamEnd {
  uint16_t code = kLostConnection;
  std::string reason;
};

// Called on the server thread; must not block.
struct StreamHandlers {
  std::function<void(Buffer data, bool binary)> on_message;
  // The last call, once.
  std::function<void(const StreamEnd&)> on_end;
};

struct StreamEventText {
  std::string_view id;
  std::string_view event;
  std::string_view data;
  int64_t retry_ms = 0;
};

class ServerStream : public Stream {
 public:
  // [any thread] Return how much is unsent. Code::exhausted: the client does not read, and is closed;
  // Code::gone: the stream is closed; Code::invalid: the text is not UTF-8, or it is no such stream.
  virtual Result<size_t> send(const Buffer& data, bool binary) = 0;
  virtual Result<size_t> send_event(const StreamEventText& event) = 0;
  // [any thread] Closes after what was sent before, but for kSlowReader; no-op when it is closed.
  void close(uint16_t code, std::string_view reason) { finish(code, reason, code == kSlowReader); }
  size_t unsent() const { return output_.unsent(); }
  void flush(StreamOutput::Flushed done) { output_.flush(std::move(done)); }
  // [any thread] Reads nothing further from the client until resume().
  void pause() noexcept { paused_.store(true, std::memory_order_release); }
  void resume() noexcept;

  bool wants_data() const noexcept override { return !paused_.load(std::memory_order_acquire); }
  void write_to(OutputQueue& output) override { output_.write_to(output); }
  void on_unsent(size_t octets) override { output_.on_unsent(octets); }
  void on_tick(Clock::time_point now) override;
  void on_stopping() override { finish(kServerStops, "the server stops", false); }
  void on_closed() override;

 protected:
  ServerStream(StreamWriter writer, const StreamLimits& limits, StreamHandlers handlers)
      : handlers_(std::move(handlers)), limits_(limits), output_(std::move(writer), limits.max_unsent) {}

  // [any thread] The octets that end the stream.
  virtual std::string ending(uint16_t code, std::string_view reason) const = 0;
  // [server thread] Asks the client for a sign of life.
  virtual void ping() = 0;
  virtual bool answers_pings() const noexcept { return false; }

  // [any thread] Sends a message, or closes a client that does not read.
  Result<size_t> put_message(std::string head, Buffer body, std::string tail);
  // [any thread] The first end counts. `drops`: what waits is not sent.
  void finish(uint16_t code, std::string_view reason, bool drops);
  bool has_end() const;
  // [any thread] Whether it ended because the client does not read.
  bool is_cut() const noexcept { return cut_.load(std::memory_order_acquire); }
  // [server thread]
  void heard() noexcept { heard_ = true; }
  void take_message(std::string_view payload, bool binary);

  const StreamHandlers handlers_;
  const StreamLimits limits_;
  StreamOutput output_;

 private:
  std::atomic<bool> paused_{false};
  std::atomic<bool> sent_message_{false};  // since the last tick
  std::atomic<bool> cut_{false};
  std::atomic<bool> sent_octets_{false};  // since the last tick
  mutable std::mutex mutex_;
  bool ended_ = false;  // guarded by mutex_, as are the next two
  bool closed_ = false;
  StreamEnd end_;
  // [server thread]
  bool heard_ = false;         // octets since the last tick
  bool took_message_ = false;  // since the last tick
  bool pinged_ = false;        // since the client was heard last
  Clock::time_point message_at_{}, heard_at_{}, sent_at_{};
};

// The limits' members are set.
std::shared_ptr<ServerStream> open_web_socket(StreamWriter writer, const StreamLimits& limits,
                                              StreamHandlers handlers);
// `chunked`: the client understands chunks (HTTP/1.1).
std::shared_ptr<ServerStream> open_event_stream(StreamWriter writer, const StreamLimits& limits,
                                                StreamHandlers handlers, bool chunked);

// A stream whose on_closed() is called once nothing owns the result any more, because a response may be
// dropped before it reaches a connection.
std::shared_ptr<Stream> close_with_owner(std::shared_ptr<ServerStream> stream);

}  // namespace patchbay::rest_api
