// The encoder and decoder of each codec, for codec.cpp.
#pragma once

#include "codec/codec.h"
#include "codec/g711.h"

namespace patchbay::lib {

std::unique_ptr<Encoder> make_g711_encoder(G711 law);
std::unique_ptr<Decoder> make_g711_decoder(G711 law);
// Null: out of memory.
std::unique_ptr<Encoder> make_g722_encoder();
std::unique_ptr<Decoder> make_g722_decoder();
std::unique_ptr<Encoder> make_opus_encoder(const OpusOptions& options);
std::unique_ptr<Decoder> make_opus_decoder();
uint32_t opus_duration(const uint8_t* payload, size_t bytes) noexcept;

}  // namespace patchbay::lib
