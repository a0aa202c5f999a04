// One client: framing, order of answers, keep-alive, limits and time-outs of HTTP/1.1, over any Transport.
// Lives on one thread. Answers from elsewhere reach it through that thread's mailbox.
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
#include "head_scan.h"
#include "lag.h"
#include "router.h"
#include "server_limits.h"
#include "transport.h"
#include "trusted_proxies.h"

namespace patchbay::rest_api {

// What a connection needs of its thread.
class ConnectionHost {
 public:
  virtual ~ConnectionHost() = default;
  virtual const EdgeLimits& limits() const noexcept = 0;
  virtual const TrustedProxies& proxies() const noexcept = 0;
  virtual Router& router(Surface surface) noexcept = 0;
  virtual std::shared_ptr<ReplyPort> reply_port() const noexcept = 0;
  virtual std::string_view date() = 0;
  virtual Clock::time_point now() const noexcept = 0;
  // To the handler, which may answer before this returns.
  virtual void dispatch(uint64_t connection, std::shared_ptr<Exchange> exchange) noexcept = 0;
  // EdgeHandlers::on_head. Connection::proceed follows, perhaps before this returns. False: there is no such
  // handler.
  virtual bool show_head(uint64_t connection, const std::shared_ptr<Exchange>& exchange) noexcept = 0;
  virtual std::string new_request_id() = 0;
  virtual void count_refused() noexcept = 0;       // a request that was no HTTP, too big or too slow
  virtual void count_body_refused() noexcept = 0;  // no memory left for its body
  virtual const std::shared_ptr<BodyBudget>& bodies() const noexcept = 0;
  virtual uint32_t hsts_sec() const noexcept = 0;  // 0: no Strict-Transport-Security
  virtual void closed(uint64_t connection) noexcept = 0;
};

class Connection final : public TransportClient, public std::enable_shared_from_this<Connection> {
 public:
  struct Facts {
    uint64_t id = 0;  // never given twice in the life of an edge
    std::string peer;
    Surface surface = kPublic;
    bool tls = false;
    bool counted = false;                // in AddressCounts
    std::optional<uint32_t> peer_uid{};  // of a Unix socket
  };

  Connection(Facts facts, std::unique_ptr<Transport> transport, ConnectionHost& host);

  void start();
  // Ignored when the slot has been answered already.
  void answer(uint64_t slot, Response response);
  // Reads the body of the request whose head was shown, unless that has a refusal by now.
  void proceed();
  // Once an answer has made it a stream; nothing before.
  void stream_send(std::string_view bytes);
  void stream_close();
  // The memory of the body that is being received is needed for others; no-op when there is none.
  void drop_body();
  // Finishes what is in flight, then closes.
  void drain();
  void abort();
  void tick(Clock::time_point now);

  // Whether closing it would lose nothing that was asked for.
  bool is_idle() const noexcept;
  Clock::time_point last_activity() const noexcept { return last_activity_; }
  // How far the client lags behind, with the body it sends or with reading what it is sent.
  Clock::duration lag(Clock::time_point now) const noexcept;
  bool is_in_body() const noexcept { return phase_ == Phase::body; }
  const Facts& facts() const noexcept { return facts_; }

  void on_ready(IoResult result) override;
  void on_read(IoResult result, size_t count) override;
  void on_written(IoResult result, size_t count) override;
  void on_lingered() override;

 private:
  enum class Phase { handshake, head, asking, body, holding, switching, stream, last, linger, closed };

  // The place of one answer; answers leave in the order of the slots.
  struct Slot {
    uint64_t number = 0;
    std::string request_id;
    size_t head_bytes = 0;  // which the exchange holds until the answer
    std::optional<Response> response;
    bool interim = false;  // 100 Continue
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
    std::optional<Response> answer;  // the edge's own: 404, 405, OPTIONS
    bool close = false;
    bool streams = false;  // nothing after it is a request before it is answered
    bool upgrade = false;
    bool needs_bearer = false;
    size_t max_body = 0;
    // Of its body.
    uint64_t length = 0;
    bool chunked = false;
    bool withheld = false;  // until 100 Continue
  };

  bool step();
  bool read_head();
  bool read_body();
  bool release();  // dispatches the request that was read, when its turn has come
  void accept_head(const Head& head);
  void route(const Head& head);
  void identify(const Head& head);
  void begin_body();
  bool asks_before_body() const noexcept;
  bool feed_stream();
  void fail(int status, const char* text);
  Slot& push_slot();
  void advance();
  bool collect();
  void send();
  void read_more();
  void finish();
  void refuse_body();
  Refusal too_large() const;
  bool may_take_request() const noexcept;
  std::string_view unread() const noexcept;
  size_t make_room();

  // Borrowed.
  ConnectionHost& host_;
  // Owned.
  const Facts facts_;
  std::unique_ptr<Transport> transport_;
  std::vector<char> in_;
  std::string out_;      // collected
  std::string sending_;  // handed to the transport
  std::deque<Slot> slots_;
  Incoming incoming_;
  // Shared with the handler's side, which may keep it longer.
  std::shared_ptr<Stream> stream_;
  HeadScan scan_;
  BodyReader body_;
  // State.
  Phase phase_ = Phase::handshake;
  size_t begin_ = 0;
  size_t end_ = 0;
  size_t sent_ = 0;
  uint64_t next_slot_ = 0;
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
