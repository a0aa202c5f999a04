// PortPlayer: plays PCM into an audio port and keeps what the port gives, frame by frame on a media loop.
#pragma once

#include <patchbay/host.h>
#include <patchbay/message.h>

#include <atomic>
#include <memory>
#include <semaphore>
#include <vector>

#include "wav.h"

namespace patchbay::app {

// Made and destroyed by one thread that is no strand.
class PortPlayer {
 public:
  // Plays `wav`, resampled to what the port takes, and then silence. What it gives is kept for as long as
  // `wav` and `tail_ms` together. Errors: the port is gone, or takes and gives nothing.
  static Result<std::unique_ptr<PortPlayer>> start(const Host& host, Handle port, const Wav& wav,
                                                   int64_t tail_ms);
  PortPlayer(const PortPlayer&) = delete;
  PortPlayer& operator=(const PortPlayer&) = delete;
  // Waits until the loop has let go.
  ~PortPlayer();

  // All has been played, and the tail has passed.
  bool over() const noexcept { return over_.load(std::memory_order_acquire); }
  // What the port gave; once over(). At its own rate; 0: it gives nothing.
  Wav kept() const {
    return {table_->pull_rate_hz, {kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(taken_)}};
  }

 private:
  PortPlayer(const Host& host, const pb_port* table, void* self, uint64_t opening)
      : host_(host), table_(table), self_(self), opening_(opening) {}
  static void tick(void* user, const pb_tick* tick) noexcept;
  static void let_go(void* user) noexcept;
  void play(const pb_tick& tick) noexcept;
  void keep(const pb_tick& tick) noexcept;

  // borrowed
  const Host& host_;
  const pb_port* const table_;
  void* const self_;
  // owned
  const uint64_t opening_;
  std::vector<int16_t> to_play_;
  std::vector<int16_t> kept_;  // as long as it will ever be: the loop may not allocate
  uint64_t attachment_ = 0;
  // state, the loop's
  size_t played_ = 0, taken_ = 0;
  int64_t ticks_left_ = 0;
  bool attached_ = false;
  std::atomic<bool> over_{false};
  std::binary_semaphore gone_{0};
};

}  // namespace patchbay::app
