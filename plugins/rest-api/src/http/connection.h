// One HTTP/1.1 connection over any Transport: framing, order of responses, keep-alive, limits and timeouts.
// One thread; responses of other threads reach it through that thread's ReplyQueue.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "body_reader.h"
#include "exchange.h"
#include "head_parser.h"
#include "head_reader.h"
#include "lag.h"
#include "limits.h"
#include "output_queue.h"
#include "router.h"
#include "transport.h"
#include "trusted_proxies.h"

namespace patchbay::rest_api {

// What a connection needs from its thread.
class ConnectionHost {
 public:
  virtual ~ConnectionHost() = default;
  virtual const ServerLimits& limits() const noexcept = 0;
  virtual const TrustedProxies& proxies() const noexcept = 0;
  virtual Router& router(ListenerRole listener_role) noexcept = 0;
  virtual std::shared_ptr<ReplyPort> reply_port() const noexcept = 0;
  virtual std::string_view date() = 0;
  virtual Clock::time_point now() const noexcept = 0;
  // Passes the request to a handler. Once that has returned, calls handler_returned() with its slot; if it
  // blocks, the answer comes first.
  virtual void dispatch(uint64_t connection, std::shared_ptr<Exchange> exchange) noexcept = 0;
  // Calls ServerHandlers::on_head, which leads to Connection::proceed(), perhaps before this returns. False:
  // there is no such handler.
  virtual bool authorize_head(uint64_t connection, const std::shared_ptr<Exchange>& exchange) noexcept = 0;
  virtual std::string new_request_id() = 0;
  virtual void count_refused() noexcept = 0;       // a malformed, too large or too slow request
  virtual void count_body_refused() noexcept = 0;  // the budget has no memory for its body
  virtual void count_response_refused() noexcept = 0;
  virtual const std::shared_ptr<BodyBudget>& bodies() const noexcept = 0;
  virtual const std::shared_ptr<BodyBudget>& response_bodies() const noexcept = 0;
  virtual uint32_t hsts_sec() const noexcept = 0;  // 0: no Strict-Transport-Security
  virtual void closed(uint64_t connection) noexcept = 0;
};

class Connection final : public TransportClient, public std::enable_shared_from_this<Connection> {
 public:
  struct Info {
    uint64_t id = 0;  // never used twice by one server
    std::string peer;
    ListenerRole listener_role = kPublic;
    bool tls = false;
    bool counted = false;                // by ConnectionsPerAddress
    std::optional<uint32_t> peer_uid{};  // of a Unix socket
  };

  Connection(Info info, std::unique_ptr<Transport> transport, ConnectionHost& host);

  void start();
  // Ignored for a slot that has its response already.
  void respond(uint64_t slot, Response response);
  // Reads the next request, unless the answer has done so. It waits until then, because a large answer keeps
  // it waiting (max_output).
  void handler_returned(uint64_t slot);
  // Continues after authorize_head(): reads the body unless the request has a refusal.
  void proceed();
  // Ignored before a response has made the connection a stream.
  void stream_wake();
  void stream_close();
  // Ends the body that is being received, because its memory is needed for others; no-op without one.
  void drop_body();
  // Closes the connection, because the memory of a large response is needed for others. False: the client has
  // read it meanwhile.
  bool drop_reader();
  // Answers the requests in flight, then closes.
  void drain();
  void close();
  // Enforces the timeouts.
  void tick(Clock::time_point now);

  // Whether it has no request in flight, so that closing it loses nothing.
  bool is_idle() const noexcept;
  Clock::time_point last_activity() const noexcept { return last_activity_; }
  // How far the client lags in sending a body or in reading responses.
  Clock::duration lag(Clock::time_point now) const noexcept;
  bool is_in_body() const noexcept { return phase_ == Phase::body; }
  const Info& info() const noexcept { return info_; }

  void on_ready(IoResult result) override;
  void on_read(IoResult result, size_t count) override;
  void on_written(IoResult result, size_t count) override;
  void on_lingered() override;

 private:
  enum class Phase { handshake, head, authorizing, body, ready, switching, stream, closing, linger, closed };

  // The place of one response; responses are sent in the order of the slots.
  struct Slot {
    uint64_t number = 0;
    std::string request_id;
    size_t head_bytes = 0;  // held by the exchange until it is answered
    std::string client;     // the address that the response counts for
    std::optional<Response> response;
    BodyBudget::Share share;  // of the response's body
    bool interim = false;     // 100 Continue
    bool head_only = false;
    bool close = false;
    bool safe = true;
    bool streams = false;
    bool upgrade = false;
    Clock::time_point deadline;
  };

  // The request being read.
  struct Incoming {
    std::shared_ptr<Exchange> exchange;
    std::optional<Response> response;  // the connection's own: 404, 405, OPTIONS
    bool close = false;
    bool streams = false;  // read no further request before it is answered
    bool upgrade = false;
    bool needs_bearer = false;
    size_t max_body = 0;
    // Of its body.
    uint64_t length = 0;
    bool chunked = false;
    bool awaits_continue = false;  // the client sends the body after 100 Continue
  };

  bool step();
  bool read_head();
  bool read_body();
  bool dispatch_request();  // once the requests before it allow
  void accept_head(Head& head);
  void route(const Head& head);
  void identify(Head& head);  // takes its fields and host
  void begin_body();
  bool authorizes_before_body() const noexcept;
  bool pass_to_stream();
  bool take_from_stream();
  void fail(int status, const char* text);
  Slot& push_slot();
  void advance();
  void take_share(Slot& slot);
  void update_lag();
  size_t unsent() const noexcept;
  bool serialize_responses(size_t max_output);
  void send();
  bool send_now();
  void take_written(size_t octets);
  void write_rest();
  void read_more();
  void refuse_body();
  bool may_read_request() const noexcept;
  std::string_view unread() const noexcept;
  size_t make_room();

  // Borrowed.
  ConnectionHost& host_;
  // Owned.
  const Info info_;
  std::unique_ptr<Transport> transport_;
  std::vector<char> in_;
  OutputQueue output_;  // serialised
  std::deque<Slot> slots_;
  Incoming incoming_;
  // Shared with the handler, which may keep it longer.
  std::shared_ptr<Stream> stream_;
  HeadReader head_;
  BodyReader body_;
  // State.
  Phase phase_ = Phase::handshake;
  size_t begin_ = 0;
  size_t end_ = 0;
  uint64_t next_slot_ = 0;
  std::optional<uint64_t> handling_;  // the slot whose handler has neither returned nor answered
  size_t unanswered_ = 0;
  size_t unsafe_unanswered_ = 0;
  size_t heads_held_ = 0;  // octets of the heads of unanswered requests
  bool reading_ = false;
  bool writing_ = false;
  bool busy_ = false;
  bool draining_ = false;
  bool skipped_blank_ = false;
  bool head_started_ = false;
  Clock::time_point deadline_;  // of the phase, where it has one
  Clock::time_point last_activity_;
  Lag body_lag_;
  Lag write_lag_;
};

}  // namespace patchbay::rest_api
