// Cuts decoded audio in order into frames of 20 ms for a listener without a playout clock (an AI engine).
// Fills a pause of the sender with silence, because an engine detects the end of
// speech by it. Limits a sender that is faster than its audio lasts. One thread; no allocation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace patchbay::lib {

class FrameAssembler {
 public:
  static constexpr uint32_t kFrameMs = 20;
  static constexpr size_t kMaxFrameSamples = 960;  // at 48 kHz

  struct Frame {
    const int16_t* pcm;  // valid for the call
    size_t samples;
    bool is_silence;
    int64_t time_ns;  // when its last sample arrived, or of the tick
  };
  using Sink = void (*)(void* user, const Frame& frame);
  struct Stats {
    uint64_t concealed_frames = 0;  // in place of missing packets; parts of frames are added up
    uint64_t dropped_frames = 0;    // beyond what a sender may be ahead of its audio
  };

  // Passes frames to sink(user, frame) from now on. `rate_hz`: of the samples; at most 48 kHz.
  void begin(uint32_t rate_hz, Sink sink, void* user) noexcept;
  void end() noexcept { sink_ = nullptr; }
  bool is_active() const noexcept { return sink_ != nullptr; }

  // Whether so many samples would be passed on. Otherwise call drop() instead of decoding or concealing them,
  // which costs most of the time.
  bool takes(size_t samples) const noexcept;
  void drop(size_t samples) noexcept { stats_.dropped_frames += samples / frame_samples_; }
  void append(const int16_t* pcm, size_t samples, int64_t now_ns) noexcept;
  // In place of missing samples.
  void append_concealed(const int16_t* pcm, size_t samples) noexcept;
  // Once every 20 ms. Passes on silence once nothing has come for 200 ms.
  void tick(int64_t now_ns) noexcept;

  const Stats& stats() const noexcept { return stats_; }

 private:
  void add(const int16_t* pcm, size_t samples) noexcept;
  void pass_frame() noexcept;

  // borrowed
  Sink sink_ = nullptr;
  void* user_ = nullptr;
  // state
  size_t frame_samples_ = 0;
  std::array<int16_t, kMaxFrameSamples> frame_{};
  size_t filled_ = 0;
  size_t concealed_ = 0;  // samples, less than a frame
  int64_t last_audio_ns_ = 0;
  size_t credit_ = 0;  // frames that may be passed on before the next tick, in hundredths
  Stats stats_;
};

}  // namespace patchbay::lib
