#include "rtp/jitter_buffer.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

namespace patchbay::lib {
namespace {

constexpr uint32_t kMinDelayMs = 20;
constexpr uint32_t kMaxDelayMs = 200;
constexpr uint32_t kLongestPacketMs = 120;
constexpr uint32_t kMaxBurstMs = 80;  // beyond the maximum delay; further ahead, the timestamps have jumped
constexpr uint32_t kFramesToShrink = 100;  // 2 s without a late packet
constexpr uint32_t kLateToResync = 4;      // this many in a row mean that the sender's timestamps jumped back
constexpr int32_t kNoDepth = std::numeric_limits<int32_t>::max();

int32_t distance(uint32_t from, uint32_t to) noexcept { return static_cast<int32_t>(to - from); }

}  // namespace

JitterBuffer::JitterBuffer(const Options& options) noexcept
    : min_ms_(std::clamp(options.min_delay_ms, kMinDelayMs, kMaxDelayMs)),
      max_ms_(std::max(min_ms_, std::clamp(options.max_delay_ms, kMinDelayMs, kMaxDelayMs))),
      target_ms_(min_ms_) {}

void JitterBuffer::restart(uint32_t clock_hz) noexcept {
  per_ms_ = std::max(1U, clock_hz / 1000);
  running_ = false;
  concealed_ = 0;
  used_ = 0;
}

void JitterBuffer::begin_at(uint32_t timestamp) noexcept {
  used_ = 0;
  running_ = true;
  play_ = timestamp - units(target_ms_);
  end_ = timestamp;
  hold_ = false;
  played_ = false;
  late_in_a_row_ = 0;
  frames_since_change_ = 0;
  lowest_depth_ = kNoDepth;
}

uint32_t JitterBuffer::depth_ms() const noexcept {
  return running_ ? static_cast<uint32_t>(std::max(0, distance(play_, end_))) / per_ms_ : 0;
}

void JitterBuffer::put(const Packet& packet) noexcept {
  if (packet.duration == 0 || packet.duration > units(kLongestPacketMs) || packet.bytes > kMaxPayloadBytes)
    return;
  if (!running_) begin_at(packet.timestamp);
  int64_t ahead = distance(play_, packet.timestamp);  // 64 bits, so that sums do not overflow
  if (ahead + packet.duration <= 0) {
    on_late(packet.timestamp, static_cast<uint32_t>(-ahead));
    ahead = distance(play_, packet.timestamp);
    if (ahead + packet.duration <= 0) return;
  }
  if (ahead > int64_t{units(max_ms_ + kMaxBurstMs)}) {
    ++stats_.resyncs;
    begin_at(packet.timestamp);
  }
  late_in_a_row_ = 0;
  const auto slot = static_cast<size_t>(std::countr_one(used_));
  if (slot == kSlots) return;
  used_ |= 1U << slot;
  packets_[slot] = packet;
  packets_[slot].payload = bytes_[slot].data();
  std::memcpy(bytes_[slot].data(), packet.payload, packet.bytes);
  if (distance(end_, packet.timestamp + packet.duration) > 0) end_ = packet.timestamp + packet.duration;
}

void JitterBuffer::on_late(uint32_t timestamp, uint32_t late_by) noexcept {
  ++stats_.late_packets;
  if (++late_in_a_row_ >= kLateToResync) {
    ++stats_.resyncs;
    begin_at(timestamp);
    return;
  }
  // Ignores packets later than the maximum delay, because a longer delay could not save them.
  if (!hold_ && target_ms_ + kFrameMs <= max_ms_ && late_by <= units(max_ms_)) {
    target_ms_ += kFrameMs;
    hold_ = true;
    frames_since_change_ = 0;
  }
}

JitterBuffer::Frame JitterBuffer::begin_frame() noexcept {
  if (!running_) return Frame::idle;
  if (hold_) {
    hold_ = false;
    count_concealed(units(kFrameMs));
    return Frame::hold;
  }
  return should_shrink() ? Frame::skip : Frame::play;
}

// Whether for two seconds the buffer held at least a frame more than it needed, because the jitter fell or
// the sender's clock runs faster than ours.
bool JitterBuffer::should_shrink() noexcept {
  const int32_t now = distance(play_, end_);
  if (now <= 0) {
    frames_since_change_ = 0;
    lowest_depth_ = kNoDepth;
    return false;
  }
  lowest_depth_ = std::min(lowest_depth_, now);
  if (++frames_since_change_ < kFramesToShrink) return false;
  const bool shrinks = lowest_depth_ > static_cast<int32_t>(units(min_ms_ + kFrameMs));
  if (shrinks) target_ms_ = std::max(min_ms_, target_ms_ - kFrameMs);
  frames_since_change_ = 0;
  lowest_depth_ = kNoDepth;
  return shrinks;
}

size_t JitterBuffer::earliest() noexcept {
  size_t best = kSlots;
  for (uint32_t left = used_; left != 0; left &= left - 1) {
    const auto slot = static_cast<size_t>(std::countr_zero(left));
    const Packet& packet = packets_[slot];
    if (distance(play_, packet.timestamp + packet.duration) <= 0) {
      used_ &= ~(1U << slot);
    } else if (best == kSlots || distance(packets_[best].timestamp, packet.timestamp) < 0) {
      best = slot;
    }
  }
  return best;
}

JitterBuffer::Part JitterBuffer::next(uint32_t wanted) noexcept {
  Part part;
  const size_t slot = earliest();
  const bool found = slot != kSlots;
  if (found) given_ = packets_[slot];
  const int32_t ahead = found ? distance(play_, given_.timestamp) : 0;
  if (found && ahead <= 0) {
    part.packet = &given_;
    part.skipped = static_cast<uint32_t>(-ahead);
    play_ = given_.timestamp + given_.duration;
    used_ &= ~(1U << slot);  // its bytes stay until the next put()
    played_ = true;
    return part;
  }
  part.gap = found ? std::min(wanted, static_cast<uint32_t>(ahead)) : wanted;
  if (found && part.gap == static_cast<uint32_t>(ahead)) part.after_gap = &given_;
  play_ += part.gap;
  count_concealed(part.gap);
  return part;
}

void JitterBuffer::count_concealed(uint32_t gap) noexcept {
  if (!played_) return;  // the initial delay is not a loss
  concealed_ += gap;
  stats_.concealed_frames += concealed_ / units(kFrameMs);
  concealed_ %= units(kFrameMs);
}

}  // namespace patchbay::lib
