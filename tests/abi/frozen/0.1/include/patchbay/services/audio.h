// patchbay.audio: joins audio ports on a media loop. Every 20 ms a frame is pulled from each side, resampled
// if the rates differ, and pushed to the other, on one thread. Provided by media. Maturity: experimental.
#pragma once

#include "../service.h"

namespace patchbay::audio {

struct Join {
  Handle a;  // ports (patchbay/audio.h)
  Handle b;
  std::string correlation;
  PATCHBAY_FIELDS(a, b, correlation)
};

struct Joined {
  int64_t join = 0;
  PATCHBAY_FIELDS(join)
};

// Thread: answers on the strand of the caller; the ports are called on one media loop.
// Lifetime: a join lasts until leave(), or until its caller stops or crashes, or one of its ports is closed.
// Since: 0.1
struct Audio {
  static constexpr char id[] = "patchbay.audio/1";
  // Joins two ports. Code::not_found: a port is closed. Code::invalid: its rate is not 8, 16, 24, 32 or 48
  // kHz.
  static constexpr Method<0, Join, Joined> join{"join"};
  // Ends a join; replies when it uses neither port any more. No-op for an unknown join.
  static constexpr Method<1, Joined, Empty> leave{"leave"};
  static constexpr auto methods() { return std::make_tuple(join, leave); }
};

}  // namespace patchbay::audio
