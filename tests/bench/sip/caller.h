// SIPp as the carrier that calls.
#pragma once

#include <patchbay/result.h>

#include <cstdint>

namespace patchbay::bench {

// Makes the calls to 127.0.0.1:`port`, each hung up when it is answered. Error: not all were answered.
Status call(uint16_t port, int calls, int per_second);

// The number that they go to.
inline constexpr const char* kCalled = "+4930555000";

}  // namespace patchbay::bench
