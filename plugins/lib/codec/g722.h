// ITU-T G.722 at 64 kbit/s: an octet for two samples of 16 kHz. The blocks have the names of the
// recommendation.
//
// Our own, because Debian 12 has it only in spandsp, whose library loads libtiff and ten more (3 to 7 ms, 1.2
// MB), and whose static one is miscompiled on amd64 (assembly that clobbers registers); and in libavcodec,
// which is larger still. A test compares the octets and samples with spandsp's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace patchbay::lib {

// The adaptive predictor and quantiser of one half of the spectrum.
struct G722Band {
  explicit G722Band(int first_step) noexcept : det(first_step) {}
  void adapt_low(int ril) noexcept;
  void adapt_high(int ihigh) noexcept;
  void predict(int difference) noexcept;

  int det;     // size of the quantiser's step
  int nb = 0;  // its logarithm
  int s = 0;   // prediction
  int sz = 0;  // the part of it from the zeros
  std::array<int, 3> r{}, p{}, a{};
  std::array<int, 7> d{}, b{};
};

// The last 24 values of a filter that splits or joins the halves of the spectrum.
using G722Delay = std::array<int, 24>;

class G722Codes {
 public:
  // Writes `samples` / 2 octets; `samples` is even.
  void encode(const int16_t* pcm, size_t samples, uint8_t* out) noexcept;
  // Writes 2 * `bytes` samples.
  void decode(const uint8_t* in, size_t bytes, int16_t* pcm) noexcept;

 private:
  G722Band low_{32};
  G722Band high_{8};
  G722Delay delay_{};
};

}  // namespace patchbay::lib
