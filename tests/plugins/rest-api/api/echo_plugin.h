// Two plugins inside the test: `desk` registers routes of every kind, `doorman` says who a bearer is.
#pragma once

#include <patchbay/abi.h>

namespace rest_api_test {

// Routes, all under /t (see desk.cpp); most echo the request they were given as JSON.
const pb_entry* desk();

// Bearers: admin-a, user-a, key-a (an admin's key), admin-b, super (of the primary tenant a.example), and
// "broken", at which it fails, and "busy", for which it has no capacity.
const pb_entry* doorman();
// Bearers it was asked about, since the process began.
int bearers_checked();

// Until a request is at /t/wait (GET, POST).
void wait_until_asked();
// Holds every worker of the server until this is destroyed.
class HeldWorkers {
 public:
  HeldWorkers();
  ~HeldWorkers();
};
// Ends the handler of /t/mortal.
void end_mortal();
// Lets the request at /t/wait be answered.
void release_waiting();

}  // namespace rest_api_test
