// patchbay.audio: joins audio ports on a media loop. Per 20 ms each side is pulled, resampled where the rates
// differ, and pushed to the other, on one thread. Offered by media. Maturity: experimental.
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
// Lifetime: a join lasts until leave(). It ends by itself when the plugin that asked for it stops or
//   crashes, or when one of its ports is closed.
// Since: 0.1
struct Audio {
  static constexpr char id[] = "patchbay.audio/1";
  // Code::not_found when a port is gone; Code::invalid when its rate is not 8, 16, 24, 32 or 48 kHz.
  static constexpr Method<0, Join, Joined> join{"join"};
  // Replies when neither port will be pulled or pushed by this join any more. An unknown join is fine.
  static constexpr Method<1, Joined, Empty> leave{"leave"};
  static constexpr auto methods() { return std::make_tuple(join, leave); }
};

}  // namespace patchbay::audio
