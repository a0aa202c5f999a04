// Recorder: collects what is pushed into an audio port, off the media loop, bounded by time.
// VoicePort (voice_port.h) is a port with a Player and a Recorder.
#pragma once

#include <algorithm>
#include <atomic>
#include <utility>

#include "function.h"
#include "host.h"
#include "sample_ring.h"
#include "wav.h"

namespace patchbay {

// Main strand, except push(). Must live until the port whose audio it records has been closed.
class Recorder {
 public:
  // `rate_hz`: of the port's push().
  Recorder(const Host& host, uint32_t rate_hz)
      : host_(&host), rate_hz_(rate_hz), ring_(size_t{rate_hz} * 2) {}
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // Records from now on, at most `max_ms` of audio; a recording that runs is dropped. Then, or with stop(),
  // calls done(Wav) with what was recorded: mono, with the silence in it.
  void start(int64_t max_ms, Function<void(Wav)> done) {
    cancel();
    ring_.clear();
    max_samples_ = static_cast<size_t>(std::max<int64_t>(max_ms, 0)) * rate_hz_ / 1000;
    done_ = std::move(done);
    recording_.store(true, std::memory_order_release);
  }
  // Ends the recording, and calls its done() before it returns; no-op without one. The port may be unjoined.
  void stop() {
    if (!recording_.load(std::memory_order_relaxed)) return;
    collect();
    finish();
  }
  // Ends the recording; done() is not called.
  void cancel() {
    recording_.store(false, std::memory_order_release);
    done_ = {};
    wav_ = {};
  }
  bool recording() const noexcept { return recording_.load(std::memory_order_relaxed); }
  // Samples that were lost because the strand was busy for more than a second, since the beginning.
  uint64_t dropped() const noexcept { return ring_.dropped(); }

  // [media] Takes the frame.
  void push(const pb_frame& in) noexcept {
    if (!recording_.load(std::memory_order_acquire)) return;
    ring_.write(in.pcm, in.samples);
    if (ring_.size() < rate_hz_ / 10 || posted_.exchange(true)) return;
    if (host_->runtime->strand_post(host_->self, kMainStrand, &Recorder::deliver, this) != PB_OK)
      posted_.store(false);
  }

 private:
  void collect() {
    Samples& all = wav_.samples;
    const size_t had = all.size();
    all.resize(std::min(max_samples_, had + ring_.size()));
    all.resize(had + ring_.read(all.data() + had, all.size() - had));
  }
  void finish() {
    recording_.store(false, std::memory_order_release);
    const Function<void(Wav)> done = std::move(done_);
    done_ = {};
    Wav wav = std::move(wav_);
    wav_ = {};
    wav.rate_hz = rate_hz_;
    if (done) done(std::move(wav));
  }
  static void deliver(void* user) noexcept {
    auto* self = static_cast<Recorder*>(user);
    self->posted_.store(false);
    if (!self->recording()) return;
    guard_void(
        [&] {
          self->collect();
          if (self->wav_.samples.size() >= self->max_samples_) self->finish();
        },
        [&](const char* text) { self->host_->log_thrown("recorder", text); });
  }

  const Host* host_;
  uint32_t rate_hz_;
  SampleRing ring_;
  std::atomic<bool> recording_{false};
  std::atomic<bool> posted_{false};  // deliver() waits on the strand
  // state, main strand
  size_t max_samples_ = 0;
  Function<void(Wav)> done_;
  Wav wav_;
};

}  // namespace patchbay
