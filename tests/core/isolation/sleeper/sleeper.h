// The service of a plugin that leaves events waiting.
#pragma once

#include <patchbay/service.h>

namespace patchbay::sleeper {

struct Heard {
  int64_t events = 0;
  PATCHBAY_FIELDS(events)
};

// sleep: blocks the strand of the `test.flood` subscription until a file `wake` is in the plugin's folder.
// count: how many events it has heard.
struct Sleeper {
  static constexpr char id[] = "test.sleeper/1";
  static constexpr Method<0, Empty, Empty> sleep{"sleep"};
  static constexpr Method<1, Empty, Heard> count{"count"};
  static constexpr auto methods() { return std::make_tuple(sleep, count); }
};

}  // namespace patchbay::sleeper
