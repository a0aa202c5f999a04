// Bridge: exchanges audio between two ports on one media loop: a frame each way in each tick, and those that
// a port passes between ticks (pb_port.stream_to).
#pragma once

#include <patchbay/audio.h>

#include <array>
#include <memory>

#include "resampler/resampler.h"

namespace patchbay::media {

// Created, stopped and destroyed on the plugin's strand; ticked on a media loop in between.
class Bridge {
 public:
  static constexpr uint32_t kMaxRateHz = 48000;
  static constexpr size_t kMaxSamples = kMaxRateHz / 1000 * PB_TICK_MS;

  // Attaches to a media loop and starts ticking at once. not_found: a port is closed. invalid: a port's rate
  // is not 8, 16, 24, 32 or 48 kHz. failed: no media loop.
  static Result<std::unique_ptr<Bridge>> start(const Host& host, Handle a, Handle b);
  ~Bridge();

  // Calls done() on the main strand once the media loop no longer calls the ports; then the bridge may be
  // destroyed. Call it once.
  void stop(Function<void()> done);

 private:
  // One port, and the conversion of its audio to the other port's rate.
  struct Side {
    uint64_t opening = 0;
    const pb_port* port = nullptr;
    void* self = nullptr;
    Result<lib::Resampler> to_other = Error{};
    std::array<int16_t, kMaxSamples> pulled;
    std::array<int16_t, kMaxSamples> converted;
    // [media]
    Side* other = nullptr;
    bool streams = false;   // passes frames between ticks
    bool is_paced = true;   // the other port needs a frame per tick
    bool is_ahead = false;  // the other port got a frame before its tick
  };

  explicit Bridge(const Host& host) : host_(host) {}
  Status open(Side& side, Handle port);
  static Status create_resampler(Side& from, const Side& to);
  static void tick(void* self, const pb_tick* tick) noexcept;
  static void on_detached(void* self) noexcept;
  static void begin_stream(Side& from) noexcept;
  static void end_stream(Side& from) noexcept;
  static void on_frame(void* side, const pb_frame* frame) noexcept;
  static void transfer(Side& from, const pb_tick& tick) noexcept;
  static void pass(Side& from, const pb_frame& pulled) noexcept;

  // borrowed
  const Host& host_;
  // owned
  Side a_;
  Side b_;
  // state
  uint64_t attachment_ = 0;
  bool attached_ = false;  // [media] whether the ports' attached() was called
  Function<void()> stopped_;
};

}  // namespace patchbay::media
