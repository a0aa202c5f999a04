// The service of a plugin that lets events wait.
#pragma once

#include <patchbay/service.h>

namespace patchbay::sleeper {

struct Heard {
  int64_t events = 0;
  PATCHBAY_FIELDS(events)
};

// sleep: the strand that hears `test.flood` does nothing until there is a file `wake` in the plugin's folder.
// count: how many events it has heard.
struct Sleeper {
  static constexpr char id[] = "test.sleeper/1";
  static constexpr Method<0, Empty, Empty> sleep{"sleep"};
  static constexpr Method<1, Empty, Heard> count{"count"};
  static constexpr auto methods() { return std::make_tuple(sleep, count); }
};

}  // namespace patchbay::sleeper
