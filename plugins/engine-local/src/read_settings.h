// Reads the settings of engine-local. Types, bounds and defaults are in settings.schema.json, against
// which the host has checked the configuration.
#pragma once

#include <patchbay/config.h>

#include <chrono>

namespace patchbay::engine_local {

struct Settings {
  int recognisers = 0;
  std::chrono::seconds unload_after{};

  static Settings read(const Config& config);
};

}  // namespace patchbay::engine_local
