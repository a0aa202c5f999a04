// The invariants of the data folder, the callees and the receiver once the server is idle.
#pragma once

#include "client_load.h"
#include "environment.h"

namespace kills {

// Waits until no call is active and no event is pending. False after `limit_sec`.
bool wait_until_idle(const Environment& environment, int limit_sec);

// Store, dials, events, deliveries and mails, once the server is idle.
void check_invariants(const Environment& environment);

// Waits until the server is idle, ends it, and checks that everything which was acknowledged to the loads is
// true, and that nothing happened twice.
void check_all(ServerProcess& server, const Environment& environment, const std::vector<Load*>& loads);

}  // namespace kills
