// Limits of service calls.
#pragma once

#include <cstddef>

namespace patchbay::core {

// Calls that wait for one instance, and the bytes of their requests together; further ones are refused, but
// a single larger request is accepted while nothing else waits. Higher than the limits of one isolated plugin
// (isolation/limits.h).
inline constexpr size_t kMaxWaitingCalls = 65'536;
inline constexpr size_t kMaxWaitingCallBytes = size_t{128} << 20;

}  // namespace patchbay::core
