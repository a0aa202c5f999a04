// A plugin of the test that emits durable events, in a server with a real patchbay.http.
#pragma once

#include <patchbay/abi.h>

#include <string>

namespace webhooks_test {

const pb_entry* emitter();

// Emits an event of the running emitter; true once it is on disk. Any thread but the core's.
bool emit(const std::string& topic, const std::string& payload = "{}",
          const std::string& tenant = "a.example");

}  // namespace webhooks_test
