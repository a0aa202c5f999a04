// Reads the settings of engine-gemini. Types, bounds and defaults are in settings.schema.json, against
// which the host has checked the configuration.
#pragma once

#include <patchbay/config.h>
#include <patchbay/result.h>

#include <string>

namespace patchbay::engine_gemini {

struct Settings {
  std::string url;
  std::string ca_file;
  int setup_ms = 0;
  int silence_ms = 0;
  int resume_ms = 0;

  // Checks what the schema cannot, so that a mistake fails the start and not every call: `url` must be a
  // WebSocket address, and `caFile` readable. Error invalid names the setting.
  static Result<Settings> read(const Config& config);
};

}  // namespace patchbay::engine_gemini
