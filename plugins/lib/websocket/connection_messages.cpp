// WebSocketClient::Connection: the open WebSocket.
#include <patchbay/utf8.h>

#include <algorithm>
#include <utility>

#include "text/safe_text.h"
#include "websocket/connection.h"
#include "websocket/limits.h"

namespace patchbay::lib {

void WebSocketClient::Connection::read() {
  size_t total = 0;
  do {
    const ByteStream::Moved moved = receive(reader_.prepare(kReadBytes), kReadBytes);
    switch (moved.state) {
      case ByteStream::State::done:
        break;
      case ByteStream::State::wants_read:
      case ByteStream::State::wants_write:
        return;
      case ByteStream::State::ended:
        return connection_lost("the peer closed the connection");
      case ByteStream::State::failed:
        return connection_lost(stream_->error());
    }
    reader_.commit(moved.bytes);
    total += moved.bytes;
    if (options_.idle_timeout_ms > 0) received_ms_ = steady_ms();
    if (!handle_received()) return;
  } while (stream_->has_pending() && total < kReadAtOnceBytes);
  if (stream_->has_pending()) post_read();
}

// Goes on reading after other connections had their turn. One at a time; the socket's events do not read
// while it is pending.
void WebSocketClient::Connection::post_read() {
  if (std::exchange(read_posted_, true)) return;
  io_.post([self = shared_from_this()] {
    self->read_posted_ = false;
    if (!self->stream_) return;
    self->stream_->begin_turn();
    self->read();
    self->end_if_unwritable();
  });
}

// Returns false once the connection is closed.
bool WebSocketClient::Connection::handle_received() {
  while (true) {
    const MessageReader::Event event = reader_.next();
    switch (event.kind) {
      case MessageReader::Kind::none:
        answer_ping();
        return true;
      case MessageReader::Kind::message:
        on_message(event);
        break;
      case MessageReader::Kind::ping:
        last_ping_ = event.payload;
        break;
      case MessageReader::Kind::pong:
        break;
      case MessageReader::Kind::close:
        on_close_frame(event);
        break;
      case MessageReader::Kind::too_big:
        close(1009, "message too big",
              "a message is over " + std::to_string(options_.max_message_bytes) + " bytes");
        break;
      case MessageReader::Kind::violation:
        if (state_ == State::open) append_control(Opcode::close, close_payload(event.code, {}));
        connection_lost(std::string("the peer sent ") + event.error);
        break;
    }
    if (state_ == State::closed) return false;
  }
}

// Answers the latest of the pings that were received together, which is enough (RFC 6455 section 5.5.3).
void WebSocketClient::Connection::answer_ping() {
  const auto ping = std::exchange(last_ping_, std::nullopt);
  if (ping && state_ == State::open && out_.size() - written_ < kMaxUnsentPongBytes)
    append_control(Opcode::pong, *ping);
}

void WebSocketClient::Connection::on_message(const MessageReader::Event& event) {
  if (state_ != State::open) return;
  gate_.run([&] {
    if (callbacks_.on_message) callbacks_.on_message(event.payload, event.binary);
  });
}

void WebSocketClient::Connection::on_close_frame(const MessageReader::Event& event) {
  if (state_ == State::closing) return connection_lost({});  // the answer to ours
  append_control(Opcode::close, event.code == 0 ? std::string() : close_payload(event.code, {}));
  WebSocketClose close;
  close.code = event.code == 0 ? uint16_t{1005} : event.code;
  close.reason = printable(event.payload);
  set_closed(std::move(close));
}

// `error`: why there was no close frame.
void WebSocketClient::Connection::connection_lost(const std::string& error) {
  WebSocketClose close;
  if (state_ == State::closing) {
    close.code = our_code_;
    close.error = our_error_;
  } else {
    close.error = "read: " + error;
  }
  set_closed(std::move(close));
}

// Ends a connection that cannot be written any more, once all that was received is read.
void WebSocketClient::Connection::end_if_unwritable() {
  if (stream_ && write_failed_ && !read_posted_) connection_lost(write_error_);
}

Status WebSocketClient::Connection::send(std::string_view message, bool binary) {
  if (!open_.load()) return {Code::unavailable, "the WebSocket is not open"};
  const size_t size = message.size();
  if (queued_bytes_.fetch_add(size) + size > options_.max_queue_bytes) {
    queued_bytes_.fetch_sub(size);
    return {Code::exhausted, "the WebSocket's send queue is full"};
  }
  const Opcode opcode = binary ? Opcode::binary : Opcode::text;
  if (io_.on_thread())
    enqueue(message, opcode);
  else
    io_.post(
        [self = shared_from_this(), text = std::string(message), opcode] { self->enqueue(text, opcode); });
  return {};
}

void WebSocketClient::Connection::enqueue(std::string_view message, Opcode opcode) {
  if (state_ != State::open) return;
  append(opcode, message, message.size());
  // Otherwise the socket is full, and its event writes all that is queued at once.
  if ((watched_events_ & EPOLLOUT) == 0 && !write_queued()) post_read();
}

void WebSocketClient::Connection::append(Opcode opcode, std::string_view payload, size_t queued_bytes) {
  const size_t begin = out_.size();
  append_frame(out_, opcode, payload, io_.impl().mask_key());
  unsent_.push_back({begin, out_.size(), queued_bytes});
}

void WebSocketClient::Connection::append_control(Opcode opcode, std::string_view payload) {
  append(opcode, payload, 0);
  // An error will be found by reading.
  if ((watched_events_ & EPOLLOUT) == 0) (void)write_queued();
}

// Writes as much as the socket takes. Returns false after an error; end_if_unwritable() follows.
bool WebSocketClient::Connection::write_queued() {
  if (write_failed_) return false;
  const bool waited = (watched_events_ & EPOLLOUT) != 0;
  ByteStream::State state = ByteStream::State::done;
  while (written_ < out_.size()) {
    const size_t size = std::max(offered_, std::min(kWriteBytes, out_.size() - written_));
    const ByteStream::Moved moved = stream_->write(out_.data() + written_, size);
    state = moved.state;
    offered_ = state == ByteStream::State::done ? 0 : size;
    if (state != ByteStream::State::done) break;
    written_ += moved.bytes;
    if (is_kernel_full(moved.bytes)) state = ByteStream::State::wants_write;
    if (state != ByteStream::State::done) break;
  }
  if (state == ByteStream::State::failed || state == ByteStream::State::ended) {
    write_failed_ = true;
    write_error_ = stream_->error();
    return false;
  }
  count_written();
  want(!read_wants_write_, read_wants_write_ || state == ByteStream::State::wants_write);
  if (waited && state_ == State::open)
    gate_.run([this] {
      if (callbacks_.on_sent) callbacks_.on_sent();
    });
  return true;
}

// Returns whether the kernel holds as much as it may. It takes more than TCP_NOTSENT_LOWAT as long as its
// last segment has room, up to 64 KB; but its event for writing comes only when it holds less than half of
// that.
bool WebSocketClient::Connection::is_kernel_full(size_t written) {
  const auto max = static_cast<size_t>(std::max(options_.max_unsent_bytes, 0));
  unchecked_bytes_ += written;
  if (max == 0 || unchecked_bytes_ < max / 4) return false;  // most messages need no further system call
  unchecked_bytes_ = 0;
  return stream_->unsent_bytes() >= max;
}

void WebSocketClient::Connection::count_written() {
  for (; !unsent_.empty() && unsent_.front().end <= written_; unsent_.pop_front())
    queued_bytes_.fetch_sub(unsent_.front().queued_bytes, std::memory_order_relaxed);
  if (written_ < out_.size() && written_ < kMaxKeptBufferBytes) return;
  out_.erase(0, written_);
  for (Unsent& frame : unsent_) {
    frame.begin -= std::min(frame.begin, written_);
    frame.end -= written_;
  }
  written_ = 0;
  if (out_.empty() && out_.capacity() > kMaxKeptBufferBytes) out_.shrink_to_fit();
}

void WebSocketClient::Connection::close(uint16_t code, std::string reason, std::string error) {
  if (state_ == State::closing || state_ == State::closed) return;
  our_code_ = code;
  if (is_connecting()) return fail("closed before it was open");
  state_ = State::closing;
  open_.store(false);
  our_error_ = std::move(error);
  // Drops what the stream has not begun to write.
  while (!unsent_.empty() && unsent_.back().begin >= written_ + offered_) unsent_.pop_back();
  out_.resize(unsent_.empty() ? written_ : unsent_.back().end);
  io_.impl().disarm(*idle_timer_);
  set_deadline(kCloseMs, "close");
  append_control(Opcode::close, close_payload(code, reason));
}

}  // namespace patchbay::lib
