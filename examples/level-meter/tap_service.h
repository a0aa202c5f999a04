// level-meter.tap: joins two audio ports through a meter. A service of a plugin of ours: whoever calls it
// includes this header.
#pragma once

#include <patchbay/service.h>

namespace level_meter {

struct Insert {
  patchbay::Handle a;  // audio ports
  patchbay::Handle b;
  std::string subject;  // of the level.measured events: a call id, say
  PATCHBAY_FIELDS(a, b, subject)
};

struct Tapped {
  int64_t tap = 0;
  PATCHBAY_FIELDS(tap)
};

// remove: replies when neither port is used any more.
struct Taps {
  static constexpr char id[] = "level-meter.tap/1";
  static constexpr patchbay::Method<0, Insert, Tapped> insert{"insert"};
  static constexpr patchbay::Method<1, Tapped, patchbay::Empty> remove{"remove"};
  static constexpr auto methods() { return std::make_tuple(insert, remove); }
};

}  // namespace level_meter
