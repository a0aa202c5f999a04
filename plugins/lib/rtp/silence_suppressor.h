// Decides what a sender that suppresses silence (RFC 3389) sends of each frame: the frame, a description of
// the noise instead, or nothing. A frame with anything louder than the noise of a quiet line is sent whole,
// so no speech is cut off at its beginning; frames with the background noise of a room are not silence. One
// thread, no allocation.
#pragma once

#include <cstddef>
#include <cstdint>

#include "codec/comfort_noise.h"

namespace patchbay::lib {

class SilenceSuppressor {
 public:
  static constexpr int kSilentPeak = 16;  // -66 dBov; PCMA has 8 for silence
  static constexpr uint32_t kHangoverMs =
      200;  // of silence that is sent, because pauses between words are shorter
  // The RFC leaves it open. It makes up for a lost packet, and keeps the bindings of NATs and peers that
  // watch for audio.
  static constexpr uint32_t kRepeatMs = 1000;

  enum class Send { frame, noise, nothing };
  Send next(const int16_t* pcm, size_t samples, uint32_t ms) noexcept;
  // What is to be sent of the latest frame, if noise.
  const NoiseDescription& noise() const noexcept { return noise_; }
  void restart() noexcept { silent_ms_ = 0; }

 private:
  uint32_t silent_ms_ = 0;       // up to kHangoverMs
  uint32_t since_noise_ms_ = 0;  // since the latest description
  NoiseDescription noise_;
};

}  // namespace patchbay::lib
