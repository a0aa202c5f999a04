// Bridge: two ports on one media loop.
#pragma once

#include <patchbay/audio.h>

#include <array>
#include <memory>

#include "resampler/resampler.h"

namespace patchbay::media {

// Made, ended and destroyed on the plugin's strand; ticked on a media loop in between.
class Bridge {
 public:
  static constexpr uint32_t kMaxRateHz = 48000;
  static constexpr size_t kMaxSamples = kMaxRateHz / 1000 * PB_TICK_MS;

  // Starts ticking at once. not_found: a port is gone. invalid: a rate is not one of telephony or speech.
  static Result<std::unique_ptr<Bridge>> start(const Host& host, Handle a, Handle b);
  ~Bridge();

  // done() on the main strand once no port is pulled or pushed any more; then the join may be destroyed.
  void end(Function<void()> done);

 private:
  // One port, and the way of its audio to the other side.
  struct Side {
    uint64_t opening = 0;
    const pb_port* port = nullptr;
    void* self = nullptr;
    Result<lib::Resampler> to_other = Error{};
    std::array<int16_t, kMaxSamples> pulled;
    std::array<int16_t, kMaxSamples> converted;
  };

  explicit Bridge(const Host& host) : host_(host) {}
  Status open(Side& side, Handle port);
  static Status connect(Side& from, const Side& to);
  static void tick(void* self, const pb_tick* tick) noexcept;
  static void detached(void* self) noexcept;
  static void carry(Side& from, Side& to, const pb_tick& tick) noexcept;

  // borrowed
  const Host& host_;
  // owned
  Side a_;
  Side b_;
  // state
  uint64_t attachment_ = 0;
  bool attached_ = false;  // [media]
  Function<void()> done_;
};

}  // namespace patchbay::media
