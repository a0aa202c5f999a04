// WavPlayer: plays a WAV file into an audio port and records the port's output, frame by frame on a media
// loop.
#pragma once

#include <patchbay/host.h>
#include <patchbay/message.h>

#include <atomic>
#include <memory>
#include <semaphore>
#include <vector>

#include "plugin_run/wav_file.h"

namespace patchbay::app {

// Create and destroy it on one thread that is no strand.
class WavPlayer {
 public:
  // Plays `wav`, resampled to the port's rate, then `tail_ms` of silence, and records during both. Errors:
  // the port is gone, or its rate is not supported.
  static Result<std::unique_ptr<WavPlayer>> start(const Host& host, Handle port, const Wav& wav,
                                                  int64_t tail_ms);
  WavPlayer(const WavPlayer&) = delete;
  WavPlayer& operator=(const WavPlayer&) = delete;
  // Waits until the loop has detached it.
  ~WavPlayer();

  // True once the sound and the tail have been played.
  bool finished() const noexcept { return finished_.load(std::memory_order_acquire); }
  // The recording, at the port's rate (0: the port produces no audio). Call it after finished().
  Wav recorded() const {
    return {table_->pull_rate_hz,
            {recorded_.begin(), recorded_.begin() + static_cast<std::ptrdiff_t>(recorded_samples_)}};
  }

 private:
  WavPlayer(const Host& host, const pb_port* table, void* self, uint64_t opening)
      : host_(host), table_(table), self_(self), opening_(opening) {}
  static void tick(void* user, const pb_tick* tick) noexcept;
  static void on_detached(void* user) noexcept;
  void play(const pb_tick& tick) noexcept;
  void record(const pb_tick& tick) noexcept;

  // borrowed
  const Host& host_;
  const pb_port* const table_;
  void* const self_;
  // owned
  const uint64_t opening_;
  std::vector<int16_t> to_play_;
  std::vector<int16_t> recorded_;  // allocated in full, because the loop must not allocate
  uint64_t attachment_ = 0;
  // state, used by the loop
  size_t played_samples_ = 0, recorded_samples_ = 0;
  int64_t ticks_left_ = 0;
  bool attached_ = false;
  std::atomic<bool> finished_{false};
  std::binary_semaphore detached_{0};
};

}  // namespace patchbay::app
