// A codec that both sides of a stream have.
#pragma once

#include "codec/codec.h"

namespace patchbay::lib {

struct CommonCodec {
  Codec codec = Codec::pcmu;
  int send_type = 0;     // payload type of what we send
  int receive_type = 0;  // and of what the peer sends
  OpusOptions opus;      // what the peer asks of our encoder

  bool operator==(const CommonCodec&) const = default;
};

}  // namespace patchbay::lib
