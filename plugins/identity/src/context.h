// Shared by the parts of the plugin. Owned by the plugin; outlives the parts. Main strand.
#pragma once

#include <patchbay/log.h>

#include <cstdint>

#include "read_settings.h"
#include "revision/revision_poll.h"
#include "revoked_tokens.h"
#include "signing_key.h"
#include "user_directory.h"

namespace patchbay::identity {

struct Context {
  explicit Context(const Host& h)
      : host(h), log(h), users(h, settings), revisions(h), revoked(h, revisions) {}
  const Host& host;
  Log log;
  Settings settings;        // replaced by a reload, so keep no pointer into it across a callback
  uint64_t generation = 0;  // raised by a reload, a change of a stored user and a revocation
  KeyRing keys;             // loaded before the first request
  UserDirectory users;      // loaded before the first request
  lib::RevisionPoll revisions;
  RevokedTokens revoked;  // loaded before the first request
};

}  // namespace patchbay::identity
