// The audio of a call in a server, played and recorded by the probe.
#pragma once

#include <doctest/doctest.h>
#include <patchbay/audio.h>
#include <patchbay/services/audio.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <future>
#include <memory>
#include <mutex>
#include <vector>

#include "support/probe_plugin.h"
#include "support/tone.h"

namespace patchbay::test {

constexpr uint32_t kVoiceRateHz = 8000;
constexpr double kOurHz = 1100;
constexpr size_t kMaxHeardSec = 600;  // that a port records

// Plays a tone to the call and records it.
class TonePort final : public AudioPort {
 public:
  TonePort() : tone_(support::make_tone(kOurHz, kVoiceRateHz, kVoiceRateHz)) {
    heard_.reserve(kVoiceRateHz * kMaxHeardSec);
  }

  uint32_t pull_rate_hz() const noexcept override { return kVoiceRateHz; }
  uint32_t push_rate_hz() const noexcept override { return kVoiceRateHz; }
  void pull(pb_frame& out) override {
    constexpr size_t kFrame = kVoiceRateHz / 50;
    std::memcpy(out.pcm, tone_.data() + at_, kFrame * sizeof(int16_t));
    at_ = (at_ + kFrame) % tone_.size();
    out.samples = kFrame;
  }
  void push(const pb_frame& in) override {
    int peak = 0;
    for (uint32_t i = 0; i < in.samples; ++i) peak = std::max(peak, std::abs(int{in.pcm[i]}));
    level_ = peak;
    const std::lock_guard lock(mutex_);
    if (heard_.size() + in.samples <= heard_.capacity())
      heard_.insert(heard_.end(), in.pcm, in.pcm + in.samples);
  }
  std::vector<int16_t> heard() {
    const std::lock_guard lock(mutex_);
    return heard_;
  }
  // The peak of the latest frame.
  int level() const { return level_; }
  // Whether the last half second that came is that tone.
  bool hears(double hz) {
    const std::vector<int16_t> all = heard();
    constexpr ptrdiff_t kSamples = kVoiceRateHz / 2;
    return all.size() >= kSamples &&
           support::mean_snr_db({all.end() - kSamples, all.end()}, hz, kVoiceRateHz) > 15;
  }

 private:
  const std::vector<int16_t> tone_;
  size_t at_ = 0;
  std::atomic<int> level_{0};
  std::mutex mutex_;
  std::vector<int16_t> heard_;
};

// A tone port that is joined to a leg's port.
class Voice {
 public:
  explicit Voice(Handle leg_port) {
    std::promise<Result<int>> joined;
    probe::run([&](const Host& host) {
      audio_ = std::make_unique<Service<audio::Audio>>(host);
      audio_->call(audio::Audio::join, {port.open(host), leg_port, "c"},
                   [&](const Result<audio::Joined>& result) {
                     joined.set_value(result ? Result<int>(0) : result.error());
                   });
    });
    REQUIRE(probe::wait(joined.get_future()));
  }
  Voice(const Voice&) = delete;
  Voice& operator=(const Voice&) = delete;
  ~Voice() {
    std::promise<Result<int>> closed;
    probe::run([&](const Host&) {
      audio_.reset();
      port.close([&] { closed.set_value(0); });
    });
    CHECK(probe::wait(closed.get_future()));
  }

  TonePort port;

 private:
  std::unique_ptr<Service<audio::Audio>> audio_;
};

}  // namespace patchbay::test
