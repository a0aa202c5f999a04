// OwnershipWatch: finds the attempts of this server whose calls another server has ended in the store,
// because this server was taken for dead: a pause of the machine, or a network that kept it from the
// database.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/strand.h>

#include <string>
#include <vector>

#include "outbound/call_store.h"

namespace patchbay::ai_voice {

// Main strand only. While the database is away nothing is lost, because no server can end a call in it.
class OwnershipWatch {
 public:
  // running(): the ids of the calls whose attempts run, and whose claims are stored. lost(id): such a call
  // that this server does not own any more; also one whose end was stored meanwhile.
  OwnershipWatch(const Host& host, const CallStore& store, Function<std::vector<std::string>()> running,
                 Function<void(const std::string&)> lost);

  // Watches if other servers may use the database.
  void start();

 private:
  void check();
  void schedule();

  // borrowed
  const CallStore& store_;
  // owned
  const Function<std::vector<std::string>()> running_;
  const Function<void(const std::string&)> lost_;
  Timer timer_;
  Lifetime alive_;
};

}  // namespace patchbay::ai_voice
