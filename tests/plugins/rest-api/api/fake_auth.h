// A plugin of the test that provides patchbay.auth with fixed bearers: admin-a, user-a, key-a (an API key of
// an admin), admin-b, super (an admin of the primary tenant a.example). "broken" makes it fail, for "busy" it
// is exhausted; all others are unknown.
#pragma once

#include <patchbay/abi.h>

namespace rest_api_test {

const pb_entry* fake_auth();
// How many bearers it has checked since the process began.
int bearers_checked();

}  // namespace rest_api_test
