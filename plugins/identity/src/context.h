// Shared by the parts of the plugin. Owned by the plugin; outlives the parts. Main strand.
#pragma once

#include <patchbay/log.h>

#include <cstdint>

#include "read_settings.h"
#include "signing_key.h"

namespace patchbay::identity {

struct Context {
  explicit Context(const Host& h) : host(h), log(h) {}
  const Host& host;
  Log log;
  Settings settings;                 // replaced by a reload, so keep no pointer into it across a callback
  uint64_t settings_generation = 0;  // raised by a reload
  KeyRing keys;                      // loaded before the first request
};

}  // namespace patchbay::identity
