// OwnershipWatch: finds what other servers on the database have done to the attempts of this one: ended their
// calls in the store, because this server's lease had run out (a pause of the machine, or a network that kept
// it from the database), or stored a client's request to hang up.
#pragma once

#include <patchbay/lifetime.h>

#include <string>
#include <vector>

#include "outbound/call_store.h"
#include "revision/hinted_poll.h"

namespace patchbay::ai_voice {

// Main strand only. While the database is away nothing is lost, because no server can end a call in it.
class OwnershipWatch {
 public:
  // running(): the ids of the calls whose attempts run, and whose claims are stored. lost(id): such a call
  // that this server does not own any more; also one whose end was stored meanwhile. hang_up(id): a call that
  // a client wants to end.
  OwnershipWatch(const Host& host, const CallStore& store, Function<std::vector<std::string>()> running,
                 Function<void(const std::string&)> lost, Function<void(const std::string&)> hang_up);

  // Watches if other servers may use the database.
  void start();

 private:
  void check();
  void take_hangup(const std::string& id);

  // borrowed
  const Host& host_;
  const CallStore& store_;
  // owned
  const Function<std::vector<std::string>()> running_;
  const Function<void(const std::string&)> lost_;
  const Function<void(const std::string&)> hang_up_;
  lib::HintedPoll poll_;
  Lifetime alive_;
};

}  // namespace patchbay::ai_voice
