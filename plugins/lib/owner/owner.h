// Owner: names this start of a plugin in the rows that it owns, so that the rows of a process that died can
// be found, also by another server on the same database.
#pragma once

#include <patchbay/host.h>
#include <patchbay/result.h>

#include <cstdint>
#include <string>

namespace patchbay::lib {

// A row's owner is dead when its run is another one of this very process (an isolated plugin was restarted),
// or when its process is not in the view core_live_node:
//   owner_run <> $run AND ((owner_node = $node AND owner_epoch = $epoch)
//     OR NOT EXISTS (SELECT 1 FROM core_live_node l WHERE l.node = owner_node AND l.epoch = owner_epoch))
struct Owner {
  std::string node;        // the server process, as pb_observe.report names it
  int64_t epoch = 0;       // of the server process
  int64_t run = 0;         // random, greater than 0: this start of the plugin
  bool is_shared = false;  // other servers may use the database at the same time

  // Error: the system provides no randomness.
  static Result<Owner> read(const Host& host);
};

// How often a plugin looks for rows of dead owners when the database is shared. With the lease of a node (6
// s, core/src/store/postgres_limits.h), they are found within 10 s after a kill.
inline constexpr int64_t kOwnerPollMs = 1000;

}  // namespace patchbay::lib
