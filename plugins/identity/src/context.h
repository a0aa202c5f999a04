// Shared by the parts of the plugin. Owned by the plugin; outlives the parts. Main strand.
#pragma once

#include <patchbay/log.h>

#include <cstdint>

#include "read_settings.h"
#include "revision_poll.h"
#include "signing_key.h"
#include "user_directory.h"

namespace patchbay::identity {

struct Context {
  explicit Context(const Host& h) : host(h), log(h), users(h, settings), revisions(h) {}
  const Host& host;
  Log log;
  Settings settings;              // replaced by a reload, so keep no pointer into it across a callback
  uint64_t users_generation = 0;  // raised by a reload and by a change of a stored user
  KeyRing keys;                   // loaded before the first request
  UserDirectory users;            // loaded before the first request
  RevisionPoll revisions;
};

}  // namespace patchbay::identity
