// One request and its one answer, as handlers see them. Nothing of Beast, Asio or Pistache shows here.
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
#include "request_target.h"
#include "route_table.h"

namespace patchbay::rest_api {

// What a connection becomes after an answer that has no end of its own: a WebSocket (101), server-sent
// events. Called on the edge thread; must not block.
class Stream {
 public:
  virtual ~Stream() = default;
  // What the client sends, from the first octet after its request on.
  virtual void on_data(std::string_view bytes) = 0;
  // Once, the last call: the client, the edge or close() ended it.
  virtual void on_closed() = 0;
};

struct Response {
  int status = 200;
  // Set by the edge and ignored here: Connection, Content-Length, Transfer-Encoding, Date, Cache-Control,
  // X-Request-Id, X-Content-Type-Options, Strict-Transport-Security.
  // Content-Type defaults to application/json for a body.
  NamedValues headers;
  std::string body;
  Buffer bytes{};  // instead of the body, when there are any
  // Shared with whoever feeds it; see Exchange::stream.
  std::shared_ptr<Stream> stream{};

  std::string_view content() const noexcept { return bytes.size() > 0 ? bytes.view() : body; }
};

// {"error": code, "error_description": description}, both escaped.
Response error_response(int status, std::string_view code, std::string_view description);
// {"error": text}, as some routes want their errors.
Response message_response(int status, std::string_view text);

// Why the edge will not have a request processed. Its turn comes after authentication, so the handler is
// asked first.
struct Refusal {
  int status = 400;
  std::string code;
  std::string description;
  // WWW-Authenticate of a 401. RFC 6750 3.1: an error only when there were credentials.
  std::string challenge = "Bearer";
  // Of 429 and 503.
  int64_t retry_after_sec = 1;
  // Nothing comes before it: the handler has refused the request itself, by its head.
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
  NamedValues params;     // of the path, decoded once
  NamedValues query;      // decoded once, no key twice
  std::vector<Field> headers;
  std::string body;

  std::string peer;      // address of the socket's other end; "unix" on a Unix socket
  std::string client;    // the peer, or what a trusted proxy says it forwards for
  std::string host;      // lower case, without port and trailing dot; may be empty under HTTP/1.0
  bool secure = false;   // TLS here, or at a trusted proxy
  bool upgrade = false;  // the client asks for a WebSocket
  Surface surface = kPublic;
  std::optional<uint32_t> peer_uid;  // the user at the other end of a Unix socket
  // The client's X-Request-Id if it is sane, else one made here. The edge writes it into the answer.
  std::string request_id;
  std::optional<Refusal> refusal;

  // Null when absent. `header` takes lower case; `query_value` reads names in either case.
  const std::string* param(std::string_view name) const noexcept;
  const std::string* query_value(std::string_view key) const noexcept;
  const std::string_view* header(std::string_view name) const noexcept;

 protected:
  Request() = default;
  ~Request() = default;
  std::string head_;  // the views above point into it
};

// Where an answer goes. Implemented by the edge; [any thread].
class ReplyPort {
 public:
  virtual ~ReplyPort() = default;
  virtual void deliver(uint64_t connection, uint64_t slot, Response response) noexcept = 0;
  // The head of its request was looked at: see EdgeHandlers::on_head.
  virtual void proceed(uint64_t connection) noexcept = 0;
  virtual void send(uint64_t connection, std::string bytes) noexcept = 0;
  virtual void close(uint64_t connection) noexcept = 0;
  // Ends the body that the connection is receiving, if it is: its memory is needed for others.
  virtual void drop_body(uint64_t connection) noexcept = 0;
};

// The sending side of a Stream. [any thread] Copies are the same; a client that has gone is no error.
class StreamWriter {
 public:
  // Octets as they are. They follow the answer; before it they are lost. A client that leaves more than
  // EdgeLimits::max_stream_output unread is closed.
  void send(std::string bytes) const noexcept;
  // After what was sent before.
  void close() const noexcept;

 private:
  friend class Exchange;
  StreamWriter(std::shared_ptr<ReplyPort> port, uint64_t connection)
      : port_(std::move(port)), connection_(connection) {}
  std::shared_ptr<ReplyPort> port_;
  uint64_t connection_;
};

// Shared between the edge, which reads nothing from it after handing it over, and the handler. The request
// may be read from any thread but is not locked. Dropping the last reference without an answer answers 500.
class Exchange : public Request {
 public:
  struct Origin {
    // Shared because an answer may come after the edge has gone; it is then ignored.
    std::shared_ptr<ReplyPort> port;
    uint64_t connection = 0;
    uint64_t slot = 0;
  };

  explicit Exchange(std::string head) { head_ = std::move(head); }
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // [any thread] The first answer counts; false for a later one. A client that has gone is no error.
  bool reply(Response response) noexcept;
  bool reply(int status, NamedValues fields, std::string content) noexcept;
  bool reply_error(int status, std::string_view code, std::string_view description) noexcept;
  // Answers with a head alone and hands the connection to `taker`, on routes that
  // may: 101 for one flagged `upgrade`
  // (Connection and Upgrade are written by the edge), else a body that lasts until the connection ends.
  // Errors are replies as usual.
  bool stream(int status, NamedValues fields, std::shared_ptr<Stream> taker) noexcept;
  StreamWriter writer() const noexcept { return {origin_.port, origin_.connection}; }
  // Answers with `refusal`, which must be set.
  bool refuse() noexcept;

  // For the edge. The memory of the body counts until the exchange is gone.
  BodyBudget::Share body_share;
  void bind(Origin origin) noexcept { origin_ = std::move(origin); }
  std::string& head() noexcept { return head_; }

 private:
  Origin origin_;
  std::atomic<bool> answered_{false};
};

}  // namespace patchbay::rest_api
