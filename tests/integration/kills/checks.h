// What must be true of a data folder, of the callees and of the receiver once all has come to rest.
#pragma once

#include "load.h"
#include "world.h"

namespace kills {

// Until no call is under way and no event waits. False after `limit_sec`.
bool rest(const World& world, int limit_sec);

// The server has stopped.
void check_store(const World& world);
void check_promises(const World& world, const Journal& journal);
void check_attempts(const World& world);    // dials and ends
void check_events(const World& world);      // their order
void check_deliveries(const World& world);  // at the receiver

}  // namespace kills
