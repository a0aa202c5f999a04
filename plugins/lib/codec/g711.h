// ITU-T G.711: converts between one octet per sample (8 kHz) and 16-bit linear PCM. Any thread, no state, no
// allocation.
#pragma once

#include <cstddef>
#include <cstdint>

namespace patchbay::lib {

enum class G711 : uint8_t { mu_law, a_law };

// The code of a zero sample, which an idle line sends.
constexpr uint8_t g711_silence(G711 law) noexcept { return law == G711::mu_law ? 0xFF : 0xD5; }

void g711_encode(G711 law, const int16_t* pcm, size_t count, uint8_t* out) noexcept;
void g711_decode(G711 law, const uint8_t* in, size_t count, int16_t* pcm) noexcept;

}  // namespace patchbay::lib
