// What a stream sends and receives with: the result of a negotiation, ready for the media thread.
#pragma once

#include <memory>
#include <vector>

#include "rtp/packet_decoder.h"
#include "rtp/packet_encoder.h"

namespace patchbay::lib {

class StreamCodecs {
 public:
  struct Options {
    std::vector<CommonCodec> codecs;  // the first is sent
    uint32_t packet_ms = 20;          // of what is sent
    uint32_t rate_hz = 8000;          // of the audio outside
    bool operator==(const Options&) const = default;
  };

  // Allocates, so not on a media loop. Code::invalid: no codec.
  static Result<std::unique_ptr<StreamCodecs>> make(const Options& options);

  const Options& options() const noexcept { return options_; }
  uint32_t rate_hz() const noexcept { return options_.rate_hz; }
  PacketEncoder encoder;
  PacketDecoder decoder;

 private:
  StreamCodecs(const Options& options, PacketEncoder sends, PacketDecoder receives)
      : encoder(std::move(sends)), decoder(std::move(receives)), options_(options) {}
  const Options options_;
};

}  // namespace patchbay::lib
