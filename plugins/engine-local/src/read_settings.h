// The settings of engine-local. The configuration has been validated against manifest.json.
#pragma once

#include <patchbay/config.h>

namespace patchbay::engine_local {

struct Settings {
  int recognisers = 0;

  static Settings read(const Config& config);
};

}  // namespace patchbay::engine_local
