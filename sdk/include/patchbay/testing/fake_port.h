// Audio in tests: OpenPort is the other side of a plugin's port, FakePort a port of the test.
#pragma once

#include <algorithm>
#include <mutex>
#include <vector>

#include "../audio.h"
#include "test_environment.h"

namespace patchbay::testing {

using Pcm = std::vector<int16_t>;

// Opens an existing port: push() and pull() exchange single frames of 20 ms, on the media loop's thread.
// stream() takes what the port passes between ticks. The destructor detaches.
class OpenPort {
 public:
  // ok() is false when there is no such port.
  OpenPort(const TestEnvironment& environment, Handle port) : environment_(&environment) {
    const Host& host = environment.host();
    opening_ = host.media->port_open(host.self, port.id, &table_, &self_);
    if (opening_ != 0) environment.on_media([this] { table_->attached(self_, 0); });
  }
  OpenPort(const OpenPort&) = delete;
  OpenPort& operator=(const OpenPort&) = delete;
  ~OpenPort() {
    if (opening_ == 0) return;
    environment_->on_media([this] {
      if (PB_HAS(table_, stream_to)) table_->stream_to(self_, 0, nullptr, nullptr);
      table_->detached(self_);
    });
    environment_->host().media->port_release(environment_->host().self, opening_);
    static_cast<void>(environment_->settle());
  }

  bool ok() const noexcept { return opening_ != 0; }
  uint32_t pull_rate_hz() const noexcept { return ok() ? table_->pull_rate_hz : 0; }
  uint32_t push_rate_hz() const noexcept { return ok() ? table_->push_rate_hz : 0; }

  uint32_t push_flags() const noexcept { return ok() ? push_flags_of(*table_) : 0; }

  // From now on collects the frames that the port passes between ticks to a port with these flags
  // (PB_PORT_*). Returns whether it does so; 0 ends it.
  bool stream(uint32_t flags) {
    bool streams = false;
    if (ok() && PB_HAS(table_, stream_to))
      environment_->on_media([&] {
        streams = table_->stream_to(self_, flags, flags != 0 ? &OpenPort::take : nullptr, this) != 0;
      });
    return streams;
  }
  // The samples that the port has passed since stream().
  Pcm streamed() const {
    Pcm samples;
    environment_->on_media([&] { samples = streamed_; });
    return samples;
  }

  // Pulls the next frame; zeroes for silence, empty if the port produces no audio.
  Pcm pull() {
    if (pull_rate_hz() == 0) return {};
    Pcm pcm(pull_rate_hz() / 1000 * PB_TICK_MS);
    pb_frame frame = frame_of(pull_rate_hz(), pcm);
    frame.samples = 0;
    environment_->on_media([&] { table_->pull(self_, &frame); });
    pcm.resize(std::min<size_t>(frame.samples, pcm.size()));
    return pcm;
  }
  // 20 ms at push_rate_hz().
  void push(Pcm pcm) { push_frame(pcm, 0); }
  void push_silence() {
    Pcm zeroes(push_rate_hz() / 1000 * PB_TICK_MS);
    push_frame(zeroes, PB_FRAME_SILENCE);
  }

 private:
  pb_frame frame_of(uint32_t rate_hz, Pcm& pcm) {
    const Host& host = environment_->host();
    pb_frame frame{};
    frame.size = sizeof frame;
    frame.tick = ++tick_;
    frame.time_ns = host.mono_ns();
    frame.rate_hz = rate_hz;
    frame.capacity = frame.samples = static_cast<uint32_t>(pcm.size());
    frame.pcm = pcm.data();
    return frame;
  }
  static void take(void* self, const pb_frame* frame) noexcept {
    Pcm& samples = static_cast<OpenPort*>(self)->streamed_;
    samples.insert(samples.end(), frame->pcm, frame->pcm + frame->samples);
  }
  void push_frame(Pcm& pcm, uint32_t flags) {
    if (push_rate_hz() == 0) return;
    pb_frame frame = frame_of(push_rate_hz(), pcm);
    frame.flags = flags;
    environment_->on_media([&] { table_->push(self_, &frame); });
  }

  const TestEnvironment* environment_;
  const pb_port* table_ = nullptr;
  void* self_ = nullptr;
  uint64_t opening_ = 0;
  int64_t tick_ = 0;
  Pcm streamed_;  // [media]
};

// A port that plays the samples of say(), then silence, and records what is pushed to it. It locks a mutex,
// which only tests may do on a media loop.
class FakePort final : public AudioPort {
 public:
  explicit FakePort(uint32_t rate_hz = 16000) : rate_hz_(rate_hz) {}

  void say(const Pcm& pcm) {
    const std::lock_guard<std::mutex> lock(mutex_);
    to_say_.insert(to_say_.end(), pcm.begin(), pcm.end());
  }
  Pcm heard() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return heard_;
  }

  uint32_t pull_rate_hz() const noexcept override { return rate_hz_; }
  uint32_t push_rate_hz() const noexcept override { return rate_hz_; }
  void pull(pb_frame& out) noexcept override {
    const std::lock_guard<std::mutex> lock(mutex_);
    const size_t count = std::min<size_t>(out.capacity, to_say_.size());
    out.samples = out.capacity;
    if (count == 0) out.flags |= PB_FRAME_SILENCE;
    std::copy_n(to_say_.begin(), count, out.pcm);
    std::fill(out.pcm + count, out.pcm + out.capacity, int16_t{0});
    to_say_.erase(to_say_.begin(), to_say_.begin() + static_cast<std::ptrdiff_t>(count));
  }
  void push(const pb_frame& in) noexcept override {
    const std::lock_guard<std::mutex> lock(mutex_);
    heard_.insert(heard_.end(), in.pcm, in.pcm + in.samples);
  }

 private:
  const uint32_t rate_hz_;
  mutable std::mutex mutex_;
  Pcm to_say_, heard_;
};

}  // namespace patchbay::testing
