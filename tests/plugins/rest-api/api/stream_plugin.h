// A plugin of the test with WebSockets and event streams under /s (see stream_plugin.cpp).
#pragma once

#include <patchbay/abi.h>

#include <cstdint>
#include <string>

namespace rest_api_test {

const pb_entry* stream_plugin();

struct EndedStream {
  int64_t code = 0;  // 0: none has ended in a minute
  std::string reason;
};
// Waits for the next end of a stream, in order, and returns what its plugin was told.
EndedStream next_end();
// How many messages have reached the plugin since the start of the process.
uint64_t messages_taken();
// Lets the plugin answer the messages that it holds (see "/s/hold").
void release_messages();

}  // namespace rest_api_test
