// The invariants of the data folder, the callees and the receiver once the server is idle.
#pragma once

#include "client_load.h"
#include "environment.h"

namespace kills {

// Waits until no call is active and no event is pending. False after `limit_sec`.
bool wait_until_idle(const Environment& environment, int limit_sec);

// Call these after the server has stopped.
void check_store(const Environment& environment);
void check_promises(const Environment& environment, const Journal& journal);
void check_attempts(const Environment& environment);    // dials and ends
void check_events(const Environment& environment);      // their order
void check_deliveries(const Environment& environment);  // at the receiver

}  // namespace kills
