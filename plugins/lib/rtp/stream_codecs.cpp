#include "rtp/stream_codecs.h"

namespace patchbay::lib {

Result<std::unique_ptr<StreamCodecs>> StreamCodecs::make(const Options& options) {
  if (options.codecs.empty()) return {Code::invalid, "a stream without a codec"};
  PB_TRY_VALUE(auto sends, PacketEncoder::make(options.codecs.front(), options.packet_ms, options.rate_hz));
  PB_TRY_VALUE(auto receives, PacketDecoder::make(options.codecs, options.rate_hz));
  return std::unique_ptr<StreamCodecs>(new StreamCodecs(options, std::move(sends), std::move(receives)));
}

}  // namespace patchbay::lib
