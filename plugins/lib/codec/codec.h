// The audio codecs of RTP: their formats, encoders and decoders. PCM is mono, signed 16 bits.
//
// make_encoder() and make_decoder() allocate; encode(), decode() and conceal() do not, neither do they lock
// or log. An object belongs to one stream and is used by one thread at a time.
#pragma once

#include <patchbay/result.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace patchbay::lib {

enum class Codec : uint8_t { pcmu, pcma, g722, opus };

inline constexpr std::array kAllCodecs{Codec::pcmu, Codec::pcma, Codec::g722, Codec::opus};

struct CodecFormat {
  std::string_view name;  // encoding name of rtpmap (RFC 3551, RFC 7587); compared without regard to case
  uint32_t clock_hz;      // of RTP timestamps. That of G.722 is 8000, although its audio has 16 kHz (RFC 3551
                          // section 4.5.2)
  uint32_t rate_hz;       // of PCM
  int payload_type;       // static one (RFC 3551 section 6); -1: dynamic
  uint32_t channels;      // in rtpmap. Those of Opus are 2 always (RFC 7587 section 7)
};

const CodecFormat& format_of(Codec codec) noexcept;
std::optional<Codec> codec_named(std::string_view name) noexcept;

inline constexpr uint32_t kMaxRateHz = 48000;
// Of an Opus packet (RFC 6716 section 3.2.5); decoders of the other codecs take any length that fits.
inline constexpr uint32_t kMaxPacketMs = 120;
inline constexpr size_t kMaxPacketSamples = kMaxRateHz / 1000 * kMaxPacketMs;
// Largest payload that encode() writes: 60 ms of Opus at most 1275 (RFC 6716 section 3.4), else one octet per
// sample at 8 kHz.
inline constexpr size_t kMaxPayloadBytes = 1275;

// Returns the packet length for a peer that asks for `ms`: the longest of the codec's lengths up to `ms`, at
// least 10 ms. Opus has 10, 20, 40 and 60, the others every multiple of 10.
uint32_t packet_ms(Codec codec, uint32_t ms) noexcept;

// Returns how long the audio of a payload lasts, in units of the RTP clock; 0 if it is malformed.
uint32_t payload_duration(Codec codec, const uint8_t* payload, size_t bytes) noexcept;

class Encoder {
 public:
  virtual ~Encoder() = default;
  // Encodes one packet: packet_ms() of PCM. Returns the octets written; 0 if `samples` is no length of the
  // codec, or `capacity` is too small.
  virtual size_t encode(const int16_t* pcm, size_t samples, uint8_t* out, size_t capacity) noexcept = 0;
};

class Decoder {
 public:
  virtual ~Decoder() = default;
  // Decodes one payload; call it in the order of the timestamps. Returns the samples written; 0 if the
  // payload is malformed, or has more than `capacity`.
  virtual size_t decode(const uint8_t* payload, size_t bytes, int16_t* pcm, size_t capacity) noexcept = 0;
  // Replaces lost audio between two payloads: continues the last one and fades out within 60 ms (Opus: its
  // own way). `next` is the payload that follows immediately, if it is there: that of Opus may contain a copy
  // of what was lost. Else null.
  virtual void conceal(int16_t* pcm, size_t samples, const uint8_t* next, size_t next_bytes) noexcept = 0;
};

// What the peer's SDP asks of Opus (RFC 7587 section 6.1); the other codecs have no options.
struct OpusOptions {
  bool fec = true;                   // useinbandfec
  bool constant_bit_rate = false;    // cbr
  uint32_t max_bit_rate = 0;         // maxaveragebitrate; 0: no limit
  uint32_t max_playback_hz = 48000;  // maxplaybackrate

  bool operator==(const OpusOptions&) const = default;
};

// Code::exhausted: out of memory.
Result<std::unique_ptr<Encoder>> make_encoder(Codec codec, const OpusOptions& options = {});
Result<std::unique_ptr<Decoder>> make_decoder(Codec codec);

}  // namespace patchbay::lib
