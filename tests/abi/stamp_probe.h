// The other side of a stamp port of the callee plugin: passes a frame at a time between two ticks, or in each
// tick, and records how long each took there and back.
#pragma once

#include <patchbay/audio.h>
#include <patchbay/media_loop.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <utility>
#include <vector>

#include "callee-plugin/callee.h"

namespace patchbay::isolated {

class StampProbe final : public AudioPort {
 public:
  static constexpr size_t kMaxFrames = 2000;
  struct Delay {
    int64_t there_ns = 0;
    int64_t back_ns = 0;
    bool before_tick = false;  // it came back before the next tick
  };

  StampProbe(const Host& host, bool paced) : timer_(host), paced_(paced) { delays_.resize(kMaxFrames); }

  Handle open(const Host& host) {
    static_cast<void>(timer_.open<&StampProbe::on_due>(*this));
    return AudioPort::open(host);
  }
  template <class F>
  void close(F done) {
    AudioPort::close([this, done = std::move(done)]() mutable { timer_.close(std::move(done)); });
  }
  size_t sent() const noexcept { return sent_; }
  // Of the frames that have come back, oldest first.
  std::vector<Delay> delays() const {
    return {delays_.begin(),
            delays_.begin() + static_cast<ptrdiff_t>(count_.load(std::memory_order_acquire))};
  }

  uint32_t pull_rate_hz() const noexcept override { return 16000; }
  uint32_t push_rate_hz() const noexcept override { return 16000; }
  uint32_t push_flags() const noexcept override { return paced_ ? 0 : PB_PORT_UNPACED; }
  bool stream_to(const FrameSink& sink) noexcept override {
    sink_ = paced_ ? FrameSink() : sink;
    return static_cast<bool>(sink_);
  }
  void pull(pb_frame& out) noexcept override {
    ++ticks_;
    out.samples = out.capacity;
    if (!sink_) {
      stamp(out.pcm);
    } else {
      out.flags |= PB_FRAME_SILENCE;
      static_cast<void>(timer_.set(out.time_ns + (1 + ticks_ % 17) * 1'000'000));
    }
  }
  void push(const pb_frame& in) noexcept override {
    if ((in.flags & PB_FRAME_SILENCE) != 0) return;
    callee::Stamps stamps{};
    std::memcpy(&stamps, in.pcm, sizeof stamps);
    const size_t at = count_.load(std::memory_order_relaxed);
    if (stamps.sent_ns == 0 || at == delays_.size()) return;
    delays_[at] = {stamps.received_ns - stamps.sent_ns, now_ns() - stamps.received_ns,
                   ticks_ == sent_at_tick_};
    count_.store(at + 1, std::memory_order_release);
  }

 private:
  static int64_t now_ns() noexcept { return std::chrono::steady_clock::now().time_since_epoch().count(); }
  void stamp(int16_t* pcm) noexcept {
    const callee::Stamps stamps{now_ns(), 0};
    std::memcpy(pcm, &stamps, sizeof stamps);
    sent_at_tick_ = ticks_;
    ++sent_;
  }
  void on_due(const pb_tick& tick) noexcept {
    if (!sink_) return;
    pb_frame frame{};
    frame.size = sizeof frame;
    frame.tick = tick.number;
    frame.time_ns = tick.time_ns;
    frame.rate_hz = 16000;
    frame.samples = frame.capacity = static_cast<uint32_t>(pcm_.size());
    frame.pcm = pcm_.data();
    stamp(frame.pcm);
    sink_(frame);
  }

  LoopTimer timer_;
  const bool paced_;
  // state of the media loop
  FrameSink sink_;
  std::array<int16_t, 320> pcm_{};
  int64_t ticks_ = 0;
  int64_t sent_at_tick_ = 0;
  std::vector<Delay> delays_;
  // read by any thread
  std::atomic<size_t> sent_{0};
  std::atomic<size_t> count_{0};
};

}  // namespace patchbay::isolated
