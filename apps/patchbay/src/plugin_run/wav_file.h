// Reads and writes WAV files of 16-bit PCM, for `patchbay plugin run`.
#pragma once

#include <patchbay/result.h>

#include <cstdint>
#include <string>
#include <vector>

namespace patchbay::app {

struct Wav {
  uint32_t rate_hz = 0;
  std::vector<int16_t> samples;  // mono
};

// Mixes several channels to their mean. Errors name the file.
Result<Wav> read_wav(const std::string& file);
Status write_wav(const std::string& file, const Wav& wav);

}  // namespace patchbay::app
