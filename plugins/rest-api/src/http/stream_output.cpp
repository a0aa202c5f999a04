#include "stream_output.h"

#include <utility>

namespace patchbay::rest_api {

void StreamOutput::append(Piece piece) {
  waiting_ += piece.octets();
  pieces_.push_back(std::move(piece));
}

Result<size_t> StreamOutput::put(std::string head, Buffer body, std::string tail) {
  Piece piece{std::move(head), std::move(body), std::move(tail)};
  size_t unsent = 0;
  bool wakes = false;
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return {Code::gone, "the stream is closed"};
    unsent = waiting_ + in_connection_ + piece.octets();
    if (unsent > max_unsent_) return {Code::exhausted, "the client does not read"};
    append(std::move(piece));
    wakes = !std::exchange(woken_, true);
  }
  if (wakes) writer_.wake();
  return unsent;
}

bool StreamOutput::end(std::string last, bool drops) {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(ended_, true)) return false;
    if (drops) {
      pieces_.clear();
      waiting_ = 0;
    }
    append({std::move(last), {}, {}});
    woken_ = true;
  }
  writer_.wake();
  return true;
}

size_t StreamOutput::unsent() const {
  const std::lock_guard lock(mutex_);
  return waiting_ + in_connection_;
}

void StreamOutput::flush(Flushed done) {
  std::unique_lock lock(mutex_);
  flushing_.push_back(std::move(done));
  if (ended_ || waiting_ + in_connection_ <= max_unsent_ / 4) report(std::move(lock));
}

void StreamOutput::write_to(OutputQueue& output) {
  const std::lock_guard lock(mutex_);
  woken_ = false;
  while (!pieces_.empty() && output.size() < kMaxStreamOutput) {
    Piece& piece = pieces_.front();
    waiting_ -= piece.octets();
    output.append(piece.head);
    if (piece.body.size() <= kMaxCopiedBody)
      output.append(piece.body.view());
    else
      output.append_body(std::move(piece.body), {});
    output.append(piece.tail);
    pieces_.pop_front();
  }
  in_connection_ = output.size();
}

void StreamOutput::on_unsent(size_t octets) {
  std::unique_lock lock(mutex_);
  in_connection_ = octets;
  if (flushing_.empty() || waiting_ + in_connection_ > max_unsent_ / 4) return;
  report(std::move(lock));
}

// Answers all flushes, without the lock.
void StreamOutput::report(std::unique_lock<std::mutex> lock) {
  const auto flushing = std::exchange(flushing_, {});
  const size_t unsent = waiting_ + in_connection_;
  const bool ended = ended_;
  lock.unlock();
  for (const Flushed& done : flushing)
    done(ended ? Result<size_t>(Code::gone, "the stream is closed") : Result<size_t>(unsent));
}

bool StreamOutput::is_done() const {
  const std::lock_guard lock(mutex_);
  return ended_ && pieces_.empty();
}

void StreamOutput::close() {
  std::unique_lock lock(mutex_);
  ended_ = true;
  pieces_.clear();
  waiting_ = in_connection_ = 0;
  report(std::move(lock));
}

}  // namespace patchbay::rest_api
