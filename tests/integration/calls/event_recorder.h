// A plugin inside the test that records every event. Add recorder_entry() to TestServer's `linked` and
// `recorder: {}` to the plugins. The records outlive the server; one list per process.
#pragma once

#include <patchbay/abi.h>

#include <cstdint>
#include <string>
#include <vector>

namespace patchbay::test {

struct ObservedEvent {
  int64_t id = 0;  // position in the durable log
  std::string topic;
  std::string payload;
};

const pb_entry* recorder_entry();
void clear_events();
// The events about the subject (a call id), in order.
std::vector<ObservedEvent> events_of(const std::string& subject);

}  // namespace patchbay::test
