// What the parts of the plugin share. Main strand; owned by the plugin, outlives them.
#pragma once

#include <patchbay/log.h>

#include "config.h"
#include "signing_key.h"

namespace patchbay::identity {

struct Context {
  explicit Context(const Host& h) : host(h), log(h) {}
  const Host& host;
  Log log;
  Settings settings;  // replaced by a reload: keep no pointer into it across a callback
  KeyRing keys;       // filled before anything is served
};

}  // namespace patchbay::identity
