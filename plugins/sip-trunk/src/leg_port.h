// LegPort: the audio port of one call, which sends and receives RTP on one socket pair.
#pragma once

#include <patchbay/audio.h>

#include <array>
#include <atomic>
#include <memory>

#include "rtp/audio_stream.h"

namespace patchbay::sip_trunk {

// configure(), stats() and packets_dropped(): any thread; the rest as in AudioPort.
class LegPort final : public AudioPort {
 public:
  static constexpr uint32_t kRateHz = 8000;

  // Calls on_digit() on the main strand for each DTMF digit from the far end.
  LegPort(const Host& host, lib::RtpSocket socket, const lib::AudioStream::Options& options,
          Function<void(char)> on_digit);
  ~LegPort() override;

  uint16_t local_port() const noexcept { return stream_.local_port(); }
  // Takes effect at the next tick.
  void configure(const lib::StreamMedia& media);
  const lib::StreamStats& stats() const noexcept { return stream_.stats(); }
  uint64_t packets_dropped() const noexcept { return stream_.packets_dropped(); }

  uint32_t pull_rate_hz() const noexcept override { return kRateHz; }
  uint32_t push_rate_hz() const noexcept override { return kRateHz; }
  void pull(pb_frame& out) noexcept override;
  void push(const pb_frame& in) noexcept override;
  void detached() noexcept override;

 private:
  void post_digits() noexcept;
  static void deliver_digits(void* self) noexcept;

  // borrowed
  const Host& host_;
  // owned
  lib::AudioStream stream_;
  Function<void(char)> on_digit_;
  std::atomic<lib::StreamMedia*> pending_{nullptr};  // from configure() to the media loop
  std::atomic<lib::StreamMedia*> returned_{
      nullptr};                                 // from the media loop back to configure(), which frees it
  std::array<std::atomic<char>, 64> digits_{};  // ring buffer: the media loop writes, the strand reads
  std::atomic<uint32_t> digits_written_{0};
  uint32_t digits_read_ = 0;
  int64_t last_ns_ = 0;
};

}  // namespace patchbay::sip_trunk
