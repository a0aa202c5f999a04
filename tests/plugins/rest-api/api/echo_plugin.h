// A plugin of the test with routes of every kind under /t (see echo_plugin.cpp); most of them echo their
// request as JSON.
#pragma once

#include <patchbay/abi.h>

namespace rest_api_test {

const pb_entry* echo_plugin();

// Waits until a request is at /t/wait (GET, POST).
void wait_until_asked();
// Answers the request at /t/wait.
void release_waiting();
// Waits until a request blocks its handler at /t/hang, and lets the handlers there return.
void wait_until_hanging();
void release_hanging();
// Withdraws the handler of /t/short-lived.
void withdraw_short_lived();

// Occupies every worker of the server until it is destroyed.
class HeldWorkers {
 public:
  HeldWorkers();
  ~HeldWorkers();
};

}  // namespace rest_api_test
