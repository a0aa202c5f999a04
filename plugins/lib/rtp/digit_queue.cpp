#include "rtp/digit_queue.h"

#include <algorithm>

namespace patchbay::lib {
namespace {

constexpr uint32_t kQueueTickMs = 20;
constexpr char kPause = ',';

}  // namespace

bool DigitQueue::is_valid(std::string_view digits) noexcept {
  return std::all_of(digits.begin(), digits.end(), [](char c) {
    return std::string_view("0123456789*#ABCD,").find(c) != std::string_view::npos;
  });
}

bool DigitQueue::add(std::string_view digits, uint32_t duration_ms) noexcept {
  if (digits.size() > kCapacity - waiting_ || !is_valid(digits)) return false;
  for (const char digit : digits) queue_[(begin_ + waiting_++) % kCapacity] = {digit, duration_ms};
  return true;
}

void DigitQueue::clear() noexcept {
  waiting_ = 0;
  silent_ms_ = 0;
  sender_ = {};
}

const DigitQueue::Payload* DigitQueue::next(uint32_t timestamp, uint32_t clock_hz) noexcept {
  if (!sender_.active()) {
    if (silent_ms_ > 0) silent_ms_ -= std::min(silent_ms_, kQueueTickMs);
    if (silent_ms_ > 0 || waiting_ == 0) return nullptr;
    const Waiting one = queue_[begin_];
    begin_ = (begin_ + 1) % kCapacity;
    --waiting_;
    if (one.digit == kPause) {
      silent_ms_ = kPauseMs;
      return nullptr;
    }
    if (!sender_.start(one.digit, timestamp, one.duration_ms, clock_hz)) return nullptr;
  }
  payload_.first = sender_.next(payload_.bytes.data());
  payload_.timestamp = sender_.timestamp();
  // Counted from the last of the three end packets.
  if (!sender_.active()) silent_ms_ = kGapMs;
  return &payload_;
}

}  // namespace patchbay::lib
