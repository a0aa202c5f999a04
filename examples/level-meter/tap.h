// Tap: two ports, connected by a measured wire in each direction. The media loops of the two joins may be two
// threads, so all that they share is atomic; nothing here allocates, locks or logs.
#pragma once

#include <patchbay/audio.h>

#include <array>
#include <atomic>

namespace level_meter {

// Passes frames from one media loop to another. Drops the newest frame when the reader is late, and produces
// silence when the writer is late.
class Wire {
 public:
  static constexpr uint32_t kHz = 16000;
  static constexpr size_t kSamples = kHz / 1000 * PB_TICK_MS;

  void put(const pb_frame& frame) noexcept {  // [media]
    int32_t peak = 0;
    for (uint32_t i = 0; i < frame.samples; ++i) peak = std::max(peak, std::abs(int32_t{frame.pcm[i]}));
    if (peak > peak_.load(std::memory_order_relaxed)) peak_.store(peak, std::memory_order_relaxed);
    const size_t at = written_.load(std::memory_order_relaxed);
    if (at - read_.load(std::memory_order_acquire) == frames_.size()) return;
    std::copy_n(frame.pcm, std::min<size_t>(frame.samples, kSamples), frames_[at % frames_.size()].begin());
    written_.store(at + 1, std::memory_order_release);
  }
  void get(pb_frame& frame) noexcept {  // [media]
    const size_t at = read_.load(std::memory_order_relaxed);
    if (at == written_.load(std::memory_order_acquire)) {
      frame.flags |= PB_FRAME_SILENCE;
      return;
    }
    frame.samples = std::min<uint32_t>(frame.capacity, kSamples);
    std::copy_n(frames_[at % frames_.size()].begin(), frame.samples, frame.pcm);
    read_.store(at + 1, std::memory_order_release);
  }
  // [any] Returns the loudest sample since the last call.
  int32_t take_peak() noexcept { return peak_.exchange(0, std::memory_order_relaxed); }

 private:
  std::array<std::array<int16_t, kSamples>, 4> frames_{};
  std::atomic<size_t> written_{0};
  std::atomic<size_t> read_{0};
  std::atomic<int32_t> peak_{0};
};

class Side final : public patchbay::AudioPort {
 public:
  Side(Wire& in, Wire& out) : in_(in), out_(out) {}
  uint32_t pull_rate_hz() const noexcept override { return Wire::kHz; }
  uint32_t push_rate_hz() const noexcept override { return Wire::kHz; }
  void pull(pb_frame& out) noexcept override { out_.get(out); }
  void push(const pb_frame& in) noexcept override { in_.put(in); }

 private:
  Wire& in_;
  Wire& out_;
};

struct Tap {
  std::string subject;
  Wire from_a, from_b;
  Side a{from_a, from_b}, b{from_b, from_a};
  int64_t join_a = 0, join_b = 0;
};

}  // namespace level_meter
