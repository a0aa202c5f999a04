#include "calls/tap_list.h"

#include <algorithm>
#include <limits>

namespace patchbay::sip_trunk {

bool PacedRing::mix_into(int16_t* pcm, size_t count) noexcept {
  count = std::min(count, kMaxSamples);
  std::array<int16_t, kMaxSamples> part;
  size_t waiting = ring_.size();
  if (!is_flowing_) {
    if (waiting == 0) {
      waited_ticks_ = 0;
      return false;
    }
    if (waiting < 2 * frame_ && ++waited_ticks_ < 3) return false;
    is_flowing_ = true;
    waited_ticks_ = 0;
  }
  if (waiting > kMostFrames * frame_)
    for (; waiting > kKeptFrames * frame_; waiting -= frame_) ring_.read(part.data(), frame_);
  const size_t got = ring_.read(part.data(), count);
  if (got < count) is_flowing_ = false;
  using Limits = std::numeric_limits<int16_t>;
  for (size_t i = 0; i < got; ++i)
    pcm[i] =
        static_cast<int16_t>(std::clamp<int32_t>(int32_t{pcm[i]} + part[i], Limits::min(), Limits::max()));
  return got > 0;
}

bool Tap::hear(int16_t* pcm, size_t count) noexcept {
  const bool far = hears_.far && far_.mix_into(pcm, count);
  const bool near = hears_.near && near_.mix_into(pcm, count);
  return far || near;
}

void Tap::say(const int16_t* pcm, size_t count) noexcept {
  if (says_.far) to_far_.write(pcm, count);
  if (says_.near) to_near_.write(pcm, count);
}

bool TapList::add(Tap& tap) noexcept {
  for (auto& slot : taps_) {
    if (slot.load() != nullptr) continue;
    slot.store(&tap);
    count_.fetch_add(1);
    return true;
  }
  return false;
}

void TapList::remove(const Tap& tap) noexcept {
  for (auto& slot : taps_) {
    if (slot.load() != &tap) continue;
    slot.store(nullptr);
    count_.fetch_sub(1);
  }
}

// All taps hear the call before any of them adds to it, so that none hears another.
bool TapList::pass(int16_t* pcm, size_t count, bool is_far) noexcept {
  if (is_empty()) return false;
  in_use_.store(true);
  std::array<Tap*, kMaxTaps> taps{};
  std::transform(taps_.begin(), taps_.end(), taps.begin(), [](const auto& slot) { return slot.load(); });
  for (Tap* tap : taps) {
    if (tap == nullptr || !(is_far ? tap->hears_.far : tap->hears_.near)) continue;
    (is_far ? tap->far_ : tap->near_).write(pcm, count);
  }
  bool is_added = false;
  for (Tap* tap : taps) {
    if (tap == nullptr || !(is_far ? tap->says_.near : tap->says_.far)) continue;
    is_added = (is_far ? tap->to_near_ : tap->to_far_).mix_into(pcm, count) || is_added;
  }
  in_use_.store(false);
  return is_added;
}

}  // namespace patchbay::sip_trunk
