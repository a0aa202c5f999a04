// EchoPort: returns pushed samples after a delay. One join, and so one media loop, pushes and pulls, so only
// the switch is shared between threads.
#pragma once

#include <patchbay/audio.h>

#include <array>
#include <atomic>

class EchoPort final : public patchbay::AudioPort {
 public:
  explicit EchoPort(int64_t delay_ms) : delay_(static_cast<size_t>(delay_ms) * kHz / 1000) {}
  // [any] Switches the echo; initially off, which produces silence.
  void listen(bool on) noexcept { on_.store(on, std::memory_order_release); }

  uint32_t pull_rate_hz() const noexcept override { return kHz; }
  uint32_t push_rate_hz() const noexcept override { return kHz; }
  void push(const pb_frame& in) noexcept override {
    const bool on = on_.load(std::memory_order_acquire);
    for (uint32_t i = 0; i < in.samples; ++i) heard_[pushed_++ % heard_.size()] = on ? in.pcm[i] : int16_t{0};
  }
  void pull(pb_frame& out) noexcept override {
    out.samples = out.capacity;
    for (uint32_t i = 0; i < out.samples; ++i) {
      out.pcm[i] = pulled_ < delay_ ? int16_t{0} : heard_[(pulled_ - delay_) % heard_.size()];
      ++pulled_;
    }
  }

 private:
  static constexpr size_t kHz = 16000;
  const size_t delay_;
  std::atomic<bool> on_{false};
  std::array<int16_t, kHz> heard_{};  // the last second
  size_t pushed_ = 0;
  size_t pulled_ = 0;
};
