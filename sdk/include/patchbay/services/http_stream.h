// WebSockets and server-sent events of patchbay.http. The plugin registers an ordinary route with a kind
// (Route::kind); its handler gets the same Request as any, after the same checks, and either refuses it by an
// ordinary response or opens the stream. The server frames, pings, enforces the limits of the route, and
// closes when it drains.
//
//   http::Route route;                                   // GET /chat.ashx, as a WebSocket
//   route.method = "GET"; route.path = "/chat.ashx"; route.kind = "websocket"; route.role = "user";
//   routes_.add(route, [this](const http::Request& request) -> Result<http::Response> {
//     auto stream = std::make_unique<http::Stream>(host(), request);
//     http::Stream* client = stream.get();
//     client->on_message([this, client](const http::Message& message) { client->send(message.data); });
//     client->on_closed([this, client](const http::Closed&) { clients_.erase(client); });
//     clients_.emplace(client, std::move(stream));       // owned by the plugin
//     return client->accept();
//   });
//
// Events: `route.kind = "events"` and `client->send_event({"17", "call.ended", Buffer::copy(json)})`; a
// client that reconnects says in request.headers "last-event-id" what it has. The handler may as well answer
// by JSON, when `accept` asks for it.
//
// A browser cannot set Authorization: it offers `new WebSocket(url, ["chat.v1", "bearer.<token>"])`, and the
// server checks the token as that of any request, or it sends a token as its first message to a route with
// role "none". A token is never part of a URL.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "../end_watch.h"
#include "../lifetime.h"
#include "http.h"

namespace patchbay::http {

struct Message {
  Buffer data;  // shared, not copied; a text is UTF-8
  bool binary = false;
  PATCHBAY_FIELDS(data, binary)
};

struct ServerEvent {
  std::string id;     // the client repeats the last one as Last-Event-ID; "": none
  std::string event;  // its type; "": "message"
  Buffer data;        // UTF-8; each line becomes a `data:` line
  // When positive, how long the client is to wait before it connects again.
  int64_t retry_ms = 0;
  // Without `event` and `data`, the client takes `id` and `retry_ms` over, and its program sees no event.
  PATCHBAY_FIELDS(id, event, data, retry_ms)
};

struct Close {
  int64_t code = 1000;  // RFC 6455 7.4: 1000, 1001, 1003, 1007 to 1014, or 3000 to 4999
  std::string reason;   // at most 123 bytes; for the client's developer
  PATCHBAY_FIELDS(code, reason)
};

struct Closed {
  // The client's code; 1005: it gave none; 1006: the connection was lost. Else what the stream was closed
  // with on this side: the plugin's code, or 1001 idle, 1002 and 1007 invalid input, 1009 a message beyond
  // the limit, 1012 the server stops, 1013 the client does not read.
  int64_t code = 1006;
  std::string reason;  // of the client, or for the log; written by a stranger
  PATCHBAY_FIELDS(code, reason)
};

struct Unsent {
  int64_t bytes = 0;
  PATCHBAY_FIELDS(bytes)
};

// One client's stream. What is sent before the response is sent after it.
// Thread: runs on the caller's thread, and does not block.
// Lifetime: from the request to closed(), or to a response without a listener; then calls fail with
//   Code::gone.
// Since: 0.1
struct Connection {
  static constexpr char id[] = "patchbay.http.connection/1";
  // Sends a message to a WebSocket. Replies how much is unsent. Code::exhausted: the client does not read,
  // and the stream is being closed; Code::gone: it is closed; Code::invalid: a text that is not UTF-8.
  static constexpr Method<0, Message, Unsent> send{"send", PB_METHOD_ANY};
  // Sends an event to an event stream; fails like send(). Code::invalid also: a line break or NUL in `id` or
  // `event`.
  static constexpr Method<1, ServerEvent, Unsent> send_event{"send_event", PB_METHOD_ANY};
  // Closes after what was sent before, or without it for 1013, because the client does not read; closed()
  // follows. No-op for a closed one.
  static constexpr Method<2, Close, Empty> close{"close", PB_METHOD_ANY};
  // How many bytes the client has not taken.
  static constexpr Method<3, Empty, Unsent> unsent{"unsent", PB_METHOD_ANY};
  // Replies when at most a quarter of Route::max_unsent_bytes is unsent: then send the next part of a long
  // series. Code::gone: the stream was closed.
  static constexpr Method<4, Empty, Unsent> flush{"flush", PB_METHOD_ANY};
  static constexpr auto methods() { return std::make_tuple(send, send_event, close, unsent, flush); }
};

// Receives what a client sends. Stream provides it.
// Thread: runs on the strand that the listener was provided on, in order.
// Lifetime: from the response to closed(), the last call. If it is withdrawn before, the client is closed
//   with 1012. Watch the connection (EndWatch), because the server may end without a call of closed().
// Since: 0.1
struct StreamListener {
  static constexpr char id[] = "patchbay.http.stream_listener/1";
  // A whole message of a WebSocket. The server reads on once enough of them are answered, so answer when the
  // work is done: a fast client then waits instead of filling the memory.
  static constexpr Method<0, Message, Empty> message{"message"};
  // The stream has ended; called exactly once.
  static constexpr Method<1, Closed, Empty> closed{"closed"};
  static constexpr auto methods() { return std::make_tuple(message, closed); }
};

// The stream of one client. Create, use and destroy it on its strand, that of the callbacks; it may be
// destroyed in a callback, and none runs afterwards. Destroying an open one closes it with 1012.
class Stream {
 public:
  // `request` is that of a "websocket" or "events" route.
  Stream(const Host& host, const Request& request, StrandId strand = kMainStrand)
      : connection_(Lease<Connection>::open(host, request.connection, strand)),
        listener_(host, strand),
        state_(std::make_shared<State>()) {
    listener_.on(StreamListener::message, [state = state_](Message message) -> Result<Empty> {
      if (state->on_message && !state->ended) state->on_message(std::move(message));
      return Empty{};
    });
    listener_.on(StreamListener::closed, [state = state_](Closed closed) -> Result<Empty> {
      state->end(closed);
      return Empty{};
    });
    end_ = EndWatch(
        host, request.connection,
        [state = state_] {
          state->end({1006, "the server ended"});
        },
        strand);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { state_->ended = true; }

  // Messages of a WebSocket's client.
  void on_message(Function<void(const Message&)> f) { state_->on_message = std::move(f); }
  // Called once, when the stream has ended, also if the client had gone before it was opened.
  void on_closed(Function<void(const Closed&)> f) { state_->on_closed = std::move(f); }

  // The response that opens the stream; its headers may be added to.
  Response accept() {
    Response response;
    response.listener = listener_.handle();
    return response;
  }

  // Sending to a stream that has ended is a no-op. Messages may share one buffer.
  void send(const Buffer& data, bool binary = false) const {
    connection_.send(Connection::send, {data, binary});
  }
  void send(std::string_view text) const { send(Buffer::copy(text)); }
  void send_event(const ServerEvent& event) const { connection_.send(Connection::send_event, event); }
  void close(int64_t code = 1000, std::string reason = {}) const {
    connection_.send(Connection::close, {code, std::move(reason)});
  }
  // f(Result<Unsent>), on the strand; see Connection.
  template <class F>
  void unsent(F f) const {
    connection_.call(Connection::unsent, {}, std::move(f));
  }
  template <class F>
  void flush(F f) const {
    connection_.call(Connection::flush, {}, std::move(f));
  }

 private:
  // Shared by the object and its running callbacks, which may destroy the object.
  struct State {
    Function<void(const Message&)> on_message;
    Function<void(const Closed&)> on_closed;
    bool ended = false;
    void end(const Closed& closed) {
      if (std::exchange(ended, true)) return;
      if (const auto f = std::move(on_closed)) f(closed);
    }
  };

  Lease<Connection> connection_;
  Provision<StreamListener> listener_;
  std::shared_ptr<State> state_;
  EndWatch end_;
};

}  // namespace patchbay::http
