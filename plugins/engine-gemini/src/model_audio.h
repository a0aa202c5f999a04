// ModelAudio: turns the audio parts of the server's messages into samples of one rate. Pure logic.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "resampler/resampler.h"
#include "server_message.h"

namespace patchbay::engine_gemini {

class ModelAudio {
 public:
  explicit ModelAudio(int output_rate_hz) : output_rate_hz_(output_rate_hz) {}

  // Returns the samples of a part at the output rate; none if its rate is not supported.
  std::vector<int16_t> decode(const AudioPart& part);
  // Forgets half a sample, because the next part does not continue it.
  void end_turn() { odd_byte_.clear(); }

 private:
  const int output_rate_hz_;
  std::string odd_byte_;                        // the first byte of a sample that continues in the next part
  int resampled_rate_hz_ = 0;                   // rate of the server's audio, where it is not the output rate
  Result<lib::Resampler> resampler_ = Error{};  // from that rate
};

}  // namespace patchbay::engine_gemini
