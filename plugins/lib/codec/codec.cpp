#include "codec/codec.h"

#include <patchbay/text.h>

#include <algorithm>

#include "codec/codec_classes.h"

namespace patchbay::lib {
namespace {

// In the order of Codec.
constexpr std::array<CodecFormat, kAllCodecs.size()> kFormats{{
    {"PCMU", 8000, 8000, 0, 1},
    {"PCMA", 8000, 8000, 8, 1},
    {"G722", 8000, 16000, 9, 1},
    {"opus", 48000, 48000, -1, 2},
}};

constexpr uint32_t kMinSentMs = 10;
constexpr uint32_t kMaxSentMs = 60;

template <class T>
Result<std::unique_ptr<T>> checked(std::unique_ptr<T> made) {
  if (!made) return {Code::exhausted, "no memory for a codec"};
  return made;
}

}  // namespace

const CodecFormat& format_of(Codec codec) noexcept { return kFormats[static_cast<size_t>(codec)]; }

std::optional<Codec> codec_named(std::string_view name) noexcept {
  for (const Codec codec : kAllCodecs)
    if (equals_ignoring_case(name, format_of(codec).name)) return codec;
  return std::nullopt;
}

uint32_t packet_ms(Codec codec, uint32_t ms) noexcept {
  const uint32_t whole = std::clamp(ms, kMinSentMs, kMaxSentMs) / 10 * 10;
  if (codec != Codec::opus) return whole;
  return whole == 30 ? 20 : whole == 50 ? 40 : whole;
}

// An octet of G.722 is two samples of 16 kHz, which is one unit of its clock.
uint32_t payload_duration(Codec codec, const uint8_t* payload, size_t bytes) noexcept {
  return codec == Codec::opus ? opus_duration(payload, bytes) : static_cast<uint32_t>(bytes);
}

Result<std::unique_ptr<Encoder>> make_encoder(Codec codec, const OpusOptions& options) {
  switch (codec) {
    case Codec::pcmu:
      return checked(make_g711_encoder(G711::mu_law));
    case Codec::pcma:
      return checked(make_g711_encoder(G711::a_law));
    case Codec::g722:
      return checked(make_g722_encoder());
    case Codec::opus:
      return checked(make_opus_encoder(options));
  }
  return {Code::invalid, "no such codec"};
}

Result<std::unique_ptr<Decoder>> make_decoder(Codec codec) {
  switch (codec) {
    case Codec::pcmu:
      return checked(make_g711_decoder(G711::mu_law));
    case Codec::pcma:
      return checked(make_g711_decoder(G711::a_law));
    case Codec::g722:
      return checked(make_g722_decoder());
    case Codec::opus:
      return checked(make_opus_decoder());
  }
  return {Code::invalid, "no such codec"};
}

}  // namespace patchbay::lib
