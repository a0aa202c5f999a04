// WAV files of 16-bit PCM: what `patchbay plugin run` plays and keeps.
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

// Of several channels the mean. Errors say what the file is not.
Result<Wav> read_wav(const std::string& file);
Status write_wav(const std::string& file, const Wav& wav);

}  // namespace patchbay::app
