// A band-limited sample rate converter that keeps its state over the whole stream. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace patchbay::lib {

class Resampler {
 public:
  Resampler(int from_hz, int to_hz);
  ~Resampler();
  Resampler(const Resampler&) = delete;
  Resampler& operator=(const Resampler&) = delete;

  std::vector<int16_t> process(const int16_t* samples, size_t count);

 private:
  const int from_hz_;
  const int to_hz_;
  void* state_;
};

}  // namespace patchbay::lib
