// level-meter.tap: joins two audio ports through a level meter. Plugins that call this service include this
// header.
#pragma once

#include <patchbay/service.h>

namespace level_meter {

struct Insert {
  patchbay::Handle a;  // audio ports
  patchbay::Handle b;
  std::string subject;  // of the level.measured events, such as a call id
  PATCHBAY_FIELDS(a, b, subject)
};

struct Tapped {
  int64_t tap = 0;
  PATCHBAY_FIELDS(tap)
};

// remove: replies once neither port is in use.
struct Taps {
  static constexpr char id[] = "level-meter.tap/1";
  static constexpr patchbay::Method<0, Insert, Tapped> insert{"insert"};
  static constexpr patchbay::Method<1, Tapped, patchbay::Empty> remove{"remove"};
  static constexpr auto methods() { return std::make_tuple(insert, remove); }
};

}  // namespace level_meter
