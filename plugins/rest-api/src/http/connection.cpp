#include "connection.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "error_format.h"
#include "response_writer.h"

namespace patchbay::rest_api {
namespace {

constexpr size_t kFirstBuffer = 2 * 1024;
constexpr size_t kWritePiece = 64 * 1024;

std::chrono::milliseconds ms(uint32_t count) { return std::chrono::milliseconds(count); }

}  // namespace

Connection::Connection(Info info, std::unique_ptr<Transport> transport, ConnectionHost& host)
    : host_(host),
      info_(std::move(info)),
      transport_(std::move(transport)),
      head_(host.limits().max_head),
      last_activity_(host.now()) {}

void Connection::start() {
  deadline_ = host_.now() + ms(host_.limits().handshake_ms);
  transport_->start(shared_from_this());
}

void Connection::on_ready(IoResult result) {
  if (phase_ == Phase::closed) return;
  if (result != IoResult::ok) return close();
  phase_ = draining_ ? Phase::closing : Phase::head;
  last_activity_ = host_.now();
  advance();
}

void Connection::on_read(IoResult result, size_t count) {
  reading_ = false;
  if (phase_ == Phase::closed || phase_ == Phase::linger) return;
  if (result == IoResult::failed) return close();
  last_activity_ = host_.now();
  if (result == IoResult::ok) {
    end_ += count;
  } else if (phase_ == Phase::body || (phase_ == Phase::head && !unread().empty())) {
    fail(400, "the request ended early");
  } else if (phase_ == Phase::head) {
    phase_ = Phase::closing;  // a client may close its sending side and still read
  } else if (phase_ == Phase::stream) {
    return close();
  }
  advance();
}

void Connection::on_written(IoResult result, size_t count) {
  writing_ = false;
  if (phase_ == Phase::closed) return;
  if (result != IoResult::ok) return close();
  take_written(count);
  advance();
}

void Connection::on_lingered() { close(); }

// Parses what has arrived, writes the responses that are ready, reads on. Handlers and streams may call this
// again before they return; `busy_` then makes it return, and the loop below goes on.
void Connection::advance() {
  if (busy_ || phase_ == Phase::closed || phase_ == Phase::linger) return;
  busy_ = true;
  do {
    while (step()) {
    }
  } while (serialize_responses(host_.limits().max_output) || take_from_stream() || send_now());
  busy_ = false;
  if (phase_ == Phase::stream && stream_->is_broken()) return close();
  write_rest();
  if (phase_ == Phase::stream && slots_.empty() && stream_->is_finished() && output_.empty()) {
    phase_ = Phase::closing;
    std::exchange(stream_, nullptr)->on_closed();
  }
  if (phase_ == Phase::closing && slots_.empty() && !writing_) {
    phase_ = Phase::linger;
    deadline_ = host_.now() + ms(host_.limits().linger_ms);
    return transport_->linger(shared_from_this());
  }
  read_more();
}

bool Connection::step() {
  switch (phase_) {
    case Phase::head:
      return may_read_request() && read_head();
    case Phase::body:
      return read_body();
    case Phase::ready:
      return dispatch_request();
    case Phase::stream:
      return pass_to_stream();
    default:
      return false;
  }
}

bool Connection::may_read_request() const noexcept {
  const auto& limits = host_.limits();
  return !handling_ && slots_.size() < limits.max_pipelined && heads_held_ < 2 * limits.max_head &&
         unsent() < limits.max_output && !output_.has_body();
}

// With the bodies of responses that wait for those before them.
size_t Connection::unsent() const noexcept {
  size_t octets = output_.size();
  for (const Slot& slot : slots_)
    if (slot.response) octets += slot.response->content_size();
  return octets;
}

std::string_view Connection::unread() const noexcept { return {in_.data() + begin_, end_ - begin_}; }

bool Connection::dispatch_request() {
  auto& exchange = incoming_.exchange;
  const bool safe = (is_safe(exchange->method) && !incoming_.streams) || incoming_.response;
  // RFC 9112 9.3.2: unsafe methods run alone, in the order sent.
  if (safe ? unsafe_unanswered_ > 0 : unanswered_ > 0) return false;
  auto& slot = push_slot();
  slot.head_only = exchange->method == Method::head;
  slot.close = incoming_.close;
  slot.safe = safe;
  slot.streams = incoming_.streams;
  slot.upgrade = incoming_.upgrade;
  slot.request_id = exchange->request_id;
  slot.client = exchange->client;
  phase_ = incoming_.close ? Phase::closing : incoming_.streams ? Phase::switching : Phase::head;
  if (incoming_.response) {
    slot.response = std::move(incoming_.response);
    incoming_ = {};
    return true;
  }
  ++unanswered_;
  if (!safe) ++unsafe_unanswered_;
  slot.head_bytes = exchange->head().size();
  heads_held_ += slot.head_bytes;
  slot.deadline = host_.now() + ms(host_.limits().answer_ms);
  handling_ = slot.number;
  exchange->bind({host_.reply_port(), info_.id, slot.number});
  host_.dispatch(info_.id, std::move(exchange));
  incoming_ = {};
  return true;
}

Connection::Slot& Connection::push_slot() {
  slots_.emplace_back();
  slots_.back().number = next_slot_++;
  return slots_.back();
}

// Sends a last response after those due before it, because the framing is lost or the client is too slow.
void Connection::fail(int status, const char* text) {
  host_.count_refused();
  const auto exchange = std::move(incoming_.exchange);
  incoming_ = {};
  auto& slot = push_slot();
  slot.request_id =
      exchange && !exchange->request_id.empty() ? std::move(exchange->request_id) : host_.new_request_id();
  slot.response = error_response(status,
                                 status == 408   ? "request_timeout"
                                 : status == 503 ? "unavailable"
                                                 : "invalid_request",
                                 text);
  slot.close = true;
  phase_ = Phase::closing;
}

void Connection::handler_returned(uint64_t slot) {
  if (handling_ != slot) return;
  handling_.reset();
  advance();
}

void Connection::respond(uint64_t number, Response response) {
  if (slots_.empty() || number < slots_.front().number) return;
  const auto index = number - slots_.front().number;
  if (index >= slots_.size() || slots_[index].response) return;
  auto& slot = slots_[index];
  if (response.stream && !(slot.streams && (slot.upgrade || response.status != 101)))
    response = error_response(500, "internal_error", "the answer could not be written");
  slot.response = std::move(response);
  take_share(slot);
  if (handling_ == number) handling_.reset();
  --unanswered_;
  heads_held_ -= slot.head_bytes;
  if (!slot.safe) --unsafe_unanswered_;
  if (phase_ == Phase::switching) phase_ = Phase::head;
  if (slot.response->stream) {
    phase_ = Phase::stream;
    stream_ = slot.response->stream;
    if (draining_) stream_->on_stopping();
  }
  advance();
}

// Counts a large body in the memory for responses, the largest as half of its client's part, so that a long
// download leaves room for others; or replaces the response by 503. A response to an unsafe
// method is sent in any case, because the client would take the request for not done.
void Connection::take_share(Slot& slot) {
  const size_t octets = slot.response->content_size();
  if (octets <= kMaxCopiedBody || slot.head_only) return;
  const auto& budget = host_.response_bodies();
  const auto now = host_.now();
  BodyBudget::Share share(budget, slot.client, now,
                          [port = host_.reply_port(), id = info_.id] { port->drop_reader(id); });
  if (share.grow_to(std::min(octets, budget->max_per_client() / 2), write_lag_, now)) {
    slot.share = std::move(share);
  } else if (slot.safe) {
    host_.count_response_refused();
    slot.response = refusal_response(
        Refusal{503, "unavailable", "too many responses wait for their readers; try again later"}, false);
  }
}

// Serialises the responses that are due, as long as less than `max_output` is unsent. False: there were none.
bool Connection::serialize_responses(size_t max_output) {
  bool any = false;
  while (!slots_.empty() && slots_.front().response && output_.size() < max_output) {
    auto& slot = slots_.front();
    const bool ends = slot.close || (draining_ && phase_ == Phase::closing && slots_.size() == 1);
    const ResponseOptions options{
        slot.head_only, ends, slot.upgrade, host_.date(), slot.request_id, info_.tls ? host_.hsts_sec() : 0};
    if (slot.interim)
      output_.append("HTTP/1.1 100 Continue\r\n\r\n");
    else
      append_response(output_, std::move(*slot.response), std::move(slot.share), options);
    slots_.pop_front();
    any = true;
  }
  return any;
}

// Passes the client's octets on, once the response that made the stream was serialised.
bool Connection::pass_to_stream() {
  if (!slots_.empty() || unread().empty() || !stream_->wants_data()) return false;
  const auto bytes = unread();
  begin_ = end_;
  stream_->on_data(bytes);
  return false;
}

// False: there was nothing to write.
bool Connection::take_from_stream() {
  if (phase_ != Phase::stream || !slots_.empty()) return false;
  const size_t before = output_.size();
  if (before >= kMaxStreamOutput) return false;
  stream_->write_to(output_);
  stream_->on_unsent(output_.size());
  return output_.size() > before;
}

void Connection::stream_wake() {
  if (phase_ == Phase::stream) advance();
}

void Connection::stream_close() {
  if (phase_ != Phase::stream) return;
  phase_ = Phase::closing;
  advance();
}

// Writes without waiting. True: all is written, so that further requests may be read.
bool Connection::send_now() {
  if (writing_ || phase_ == Phase::closed || output_.empty()) return false;
  const size_t written = transport_->write_now(output_.next(kWritePiece));
  if (written == 0) return false;
  take_written(written);
  return output_.empty();
}

void Connection::take_written(size_t octets) {
  last_activity_ = host_.now();
  output_.consume(octets);
  write_lag_.take(octets, last_activity_);
  if (output_.empty()) write_lag_.end(last_activity_);
  if (phase_ == Phase::stream) stream_->on_unsent(output_.size());
}

void Connection::send() {
  if (!send_now()) write_rest();
}

void Connection::write_rest() {
  if (writing_ || phase_ == Phase::closed || output_.empty()) return;
  const WritePieces next = output_.next(kWritePiece);
  writing_ = true;
  write_lag_.begin(host_.now());
  update_lag();
  transport_->write(next, shared_from_this());
}

// Tells the budget how far the client lags, so that it can drop the slowest reader.
void Connection::update_lag() {
  output_.update_lag(write_lag_);
  for (Slot& slot : slots_) slot.share.set_lag(write_lag_);
}

void Connection::read_more() {
  const bool wanted = phase_ == Phase::body || (phase_ == Phase::head && may_read_request()) ||
                      (phase_ == Phase::stream && slots_.empty() && stream_->wants_data());
  if (reading_ || !wanted) return;
  const auto room = make_room();
  reading_ = true;
  transport_->read(in_.data() + end_, room, shared_from_this());
}

// The buffer grows with what has arrived, never with what was announced.
size_t Connection::make_room() {
  if (begin_ == end_) begin_ = end_ = 0;
  if (in_.empty()) in_.resize(kFirstBuffer);
  if (end_ == in_.size() && begin_ > 0) {
    std::memmove(in_.data(), in_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  // Releases the buffer of a large request while the connection is idle.
  if (begin_ == end_ && phase_ == Phase::head && slots_.empty() && in_.size() > kFirstBuffer)
    std::vector<char>(kFirstBuffer).swap(in_);
  const bool filled = end_ == in_.size() || (phase_ == Phase::body && begin_ == end_);
  if (filled && in_.size() < host_.limits().max_head)
    in_.resize(std::min(in_.size() * 2, host_.limits().max_head));
  return in_.size() - end_;
}

bool Connection::drop_reader() {
  const bool waits = std::any_of(slots_.begin(), slots_.end(), [](const Slot& slot) {
    return slot.response && slot.response->content_size() > kMaxCopiedBody;
  });
  if (!waits && !output_.has_body()) return false;
  close();
  return true;
}

bool Connection::is_idle() const noexcept {
  return phase_ == Phase::handshake || phase_ == Phase::linger ||
         (phase_ == Phase::head && slots_.empty() && output_.empty());
}

Clock::duration Connection::lag(Clock::time_point now) const noexcept {
  const auto none = Clock::duration::zero();
  return std::max(is_in_body() ? body_lag_.of(now) : none, writing_ ? write_lag_.of(now) : none);
}

void Connection::drop_body() {
  if (!is_in_body()) return;
  fail(408, "the request came too slowly");
  advance();
}

void Connection::drain() {
  draining_ = true;
  if (phase_ == Phase::head && unread().empty()) phase_ = Phase::closing;
  if (phase_ == Phase::stream) stream_->on_stopping();
  if (phase_ == Phase::handshake || (phase_ == Phase::closing && slots_.empty() && output_.empty()))
    return close();
  advance();
}

void Connection::tick(Clock::time_point now) {
  const auto& limits = host_.limits();
  if (writing_ && write_lag_.of(now) > ms(limits.write_ms)) return close();
  if (phase_ == Phase::stream) {
    stream_->on_tick(now);
    return advance();
  }
  if ((phase_ == Phase::handshake || phase_ == Phase::linger) && now > deadline_) return close();
  if (phase_ == Phase::head && is_idle() && unread().empty()) {
    if (now > last_activity_ + ms(limits.idle_ms)) close();
    return;
  }
  const bool reads =
      phase_ == Phase::body || (phase_ == Phase::head && !unread().empty() && may_read_request());
  if (reads && now > deadline_) {
    fail(408, "the request came too slowly");
    return advance();
  }
  if (phase_ == Phase::authorizing && now > deadline_) {
    fail(503, "the bearer could not be checked in time");
    return advance();
  }
  for (size_t i = 0; i < slots_.size(); ++i)
    if (!slots_[i].response && now > slots_[i].deadline)
      return respond(slots_[i].number, error_response(503, "unavailable", "the answer took too long"));
}

void Connection::close() {
  if (phase_ == Phase::closed) return;
  phase_ = Phase::closed;
  transport_->close();
  slots_.clear();
  incoming_ = {};
  if (const auto stream = std::exchange(stream_, nullptr)) stream->on_closed();
  host_.closed(info_.id);
}

}  // namespace patchbay::rest_api
