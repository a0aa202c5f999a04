#include "server_stream.h"

#include <utility>

namespace patchbay::rest_api {

void ServerStream::resume() noexcept {
  if (paused_.exchange(false, std::memory_order_acq_rel)) output_.wake();
}

Result<size_t> ServerStream::put_message(std::string head, Buffer body, std::string tail) {
  auto put = output_.put(std::move(head), std::move(body), std::move(tail));
  if (!put && put.error().code == Code::exhausted) finish(kSlowReader, "the client does not read", true);
  sent_message_.store(true, std::memory_order_relaxed);
  return put;
}

void ServerStream::finish(uint16_t code, std::string_view reason, bool drops) {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(ended_, true)) return;
    end_ = {code, std::string(reason)};
  }
  if (code == kSlowReader) cut_.store(true, std::memory_order_release);
  output_.end(ending(code, reason), drops);
}

bool ServerStream::has_end() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

void ServerStream::take_message(std::string_view payload, bool binary) {
  took_message_ = true;
  handlers_.on_message(Buffer::copy(payload), binary);
}

void ServerStream::on_tick(Clock::time_point now) {
  using std::chrono::milliseconds;
  if (message_at_ == Clock::time_point{}) message_at_ = heard_at_ = sent_at_ = now;
  const bool heard = std::exchange(heard_, false);
  const bool sent = sent_message_.exchange(false, std::memory_order_relaxed);
  if (std::exchange(took_message_, false) || sent) message_at_ = now;
  if (sent) sent_at_ = now;
  if (heard) {
    heard_at_ = now;
    pinged_ = false;
  }
  if (limits_.idle_ms > 0 && now - message_at_ > milliseconds(limits_.idle_ms))
    return finish(kIdleClose, "there was no message for too long", false);
  const milliseconds wait(limits_.ping_ms);
  if (!answers_pings()) {
    if (now - sent_at_ <= wait) return;
    sent_at_ = now;
    return ping();
  }
  if (now - heard_at_ <= wait) return;
  if (now - heard_at_ > 2 * wait && pinged_)
    return finish(kLostConnection, "the client did not answer a ping", true);
  if (!std::exchange(pinged_, true)) ping();
}

void ServerStream::on_closed() {
  StreamEnd end;
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(closed_, true)) return;
    ended_ = true;
    end = end_;
  }
  output_.close();
  handlers_.on_end(end);
}

std::shared_ptr<Stream> close_with_owner(std::shared_ptr<ServerStream> stream) {
  Stream* taken = stream.get();
  return {taken, [stream = std::move(stream)](Stream*) { stream->on_closed(); }};
}

}  // namespace patchbay::rest_api
