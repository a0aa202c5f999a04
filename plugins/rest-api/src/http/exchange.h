// A request and its response, as handlers see them. Includes nothing of Beast, Asio or Pistache.
#pragma once

#include <patchbay/buffer.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "body_budget.h"
#include "lag.h"
#include "request_target.h"
#include "route_table.h"

namespace patchbay::rest_api {

class OutputQueue;

// Takes over a connection after a response without an end: a WebSocket (101), server-sent events. Called on
// the server thread; must not block.
class Stream {
 public:
  virtual ~Stream() = default;
  // Octets from the client, beginning with the first one after its request.
  virtual void on_data(std::string_view bytes) = 0;
  // False: reads no further octets, until StreamWriter::wake().
  virtual bool wants_data() const noexcept { return true; }
  // Moves what waits to `output`, as long as less than kMaxStreamOutput of it is unsent. Called when there is
  // room, and after each wake().
  virtual void write_to(OutputQueue& output) = 0;
  // So much of what was moved is unsent.
  virtual void on_unsent(size_t /*octets*/) {}
  // True: the connection is closed once everything is written.
  virtual bool is_finished() const noexcept { return false; }
  // True: the connection is closed at once, without what waits.
  virtual bool is_broken() const noexcept { return false; }
  // About every kTimeoutCheckMs.
  virtual void on_tick(Clock::time_point /*now*/) {}
  // The server stops: finish soon.
  virtual void on_stopping() = 0;
  // The last call, once: the client, the server or close() ended the connection.
  virtual void on_closed() = 0;
};

struct Response {
  int status = 200;
  // Ignored, because the server sets them: Connection, Content-Length, Transfer-Encoding, Date,
  // Cache-Control, X-Request-Id, X-Content-Type-Options, Strict-Transport-Security. Content-Type of a body
  // defaults to application/json.
  StringPairs headers;
  // The content: these three, one after the other.
  std::string body;
  Buffer bytes{};
  std::string tail{};
  // Shared with its writer; see Exchange::stream().
  std::shared_ptr<Stream> stream{};
  // The length of the content is not known: Transfer-Encoding: chunked, which the stream writes.
  bool chunked = false;

  size_t content_size() const noexcept { return body.size() + bytes.size() + tail.size(); }
};

// Why the server refuses a request. 401 and 403 precede it, so the handler is asked first.
struct Refusal {
  int status = 400;
  std::string code;
  std::string description;
  // WWW-Authenticate of a 401. RFC 6750 3.1: with an error only if the request had credentials.
  std::string challenge = "Bearer";
  // Of 429 and 503.
  int64_t retry_after_sec = 1;
  // Nothing precedes it, because the handler itself has refused the request by its head.
  bool is_final = false;
};

struct Field {
  std::string_view name;  // lower case
  std::string_view value;
};

struct Request {
  uint32_t route = 0;
  Method method = Method::get;
  std::string_view method_text;
  std::string_view path;  // raw, as written
  StringPairs params;     // of the path, decoded once
  StringPairs query;      // decoded once, no key twice
  std::vector<Field> headers;
  std::string body;

  std::string peer;      // address of the socket's peer; "unix" on a Unix socket
  std::string client;    // the peer, or the client that a trusted proxy names
  std::string host;      // lower case, without port and trailing dot; may be empty under HTTP/1.0
  bool secure = false;   // TLS here, or at a trusted proxy
  bool upgrade = false;  // the client asks for a WebSocket
  bool http_1_0 = false;
  ListenerRole listener_role = kPublic;
  std::optional<uint32_t> peer_uid;  // the user of a Unix socket's peer
  // The client's X-Request-Id if it is valid, else a new one. The response has it.
  std::string request_id;
  std::optional<Refusal> refusal;

  // Null when absent. `header` takes a name in lower case; for `query_value` see is_name().
  const std::string* param(std::string_view name) const noexcept;
  const std::string* query_value(std::string_view key) const noexcept;
  const std::string_view* header(std::string_view name) const noexcept;

 protected:
  Request() = default;
  ~Request() = default;
  std::string head_;  // the views above point into it
};

// Takes responses back to their connections. [any thread]
class ReplyPort {
 public:
  virtual ~ReplyPort() = default;
  virtual void deliver(uint64_t connection, uint64_t slot, Response response) noexcept = 0;
  // See ServerHandlers::on_head.
  virtual void proceed(uint64_t connection) noexcept = 0;
  virtual void wake(uint64_t connection) noexcept = 0;
  virtual void close(uint64_t connection) noexcept = 0;
  // Ends the body that the connection is receiving, because its memory is needed for others; no-op without
  // one.
  virtual void drop_body(uint64_t connection) noexcept = 0;
  // Closes the connection, whose client is slow in reading, because the memory of its responses is needed for
  // others.
  virtual void drop_reader(uint64_t connection) noexcept = 0;
};

// The sending side of a Stream. Copies refer to the same stream. No-op after the client has disconnected.
// [any thread]
class StreamWriter {
 public:
  // Calls the stream's write_to(), and wants_data(); ignored before the response, after which they are called
  // anyway.
  void wake() const noexcept;
  // Closes after what was sent before.
  void close() const noexcept;

 private:
  friend class Exchange;
  StreamWriter(std::shared_ptr<ReplyPort> port, uint64_t connection)
      : port_(std::move(port)), connection_(connection) {}
  std::shared_ptr<ReplyPort> port_;
  uint64_t connection_;
};

// Shared by the server, which does not read it after passing it on, and the handler. Any thread may read the
// request, without a lock. Dropping the last reference without a reply answers 500.
class Exchange : public Request {
 public:
  struct Origin {
    // Shared because a reply may come after the server has stopped; it is then ignored.
    std::shared_ptr<ReplyPort> port;
    uint64_t connection = 0;
    uint64_t slot = 0;
  };

  explicit Exchange(std::string head) { head_ = std::move(head); }
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // [any thread] Sends the first reply; false for a later one. No-op after the client has disconnected.
  bool reply(Response response) noexcept;
  bool reply(int status, StringPairs fields, std::string content) noexcept;
  bool reply_error(int status, std::string_view code, std::string_view description) noexcept;
  // Replies with a head and passes the connection to `taker`, on routes with `streams` or `upgrade`. 101 is
  // for `upgrade` (the server writes Connection and Upgrade); otherwise the body lasts until the connection
  // ends.
  bool stream(int status, StringPairs fields, std::shared_ptr<Stream> taker, bool chunked = false) noexcept;
  StreamWriter writer() const noexcept { return {origin_.port, origin_.connection}; }
  // Replies with `refusal`, which must be set.
  bool refuse() noexcept;

  // False: the handler must not run its work on the calling thread, because the work of another request
  // blocks a thread of these connections already. Set by the server before each call of a handler.
  bool may_run_here = true;

  // For the server. The memory of the body counts until the exchange is destroyed.
  BodyBudget::Share body_share;
  void bind(Origin origin) noexcept { origin_ = std::move(origin); }
  uint64_t slot() const noexcept { return origin_.slot; }
  std::string& head() noexcept { return head_; }

 private:
  Origin origin_;
  std::atomic<bool> answered_{false};
};

}  // namespace patchbay::rest_api
