// The fixed limits and times of WebSocket connections and their threads.
#pragma once

#include <chrono>
#include <cstddef>

namespace patchbay::lib {

inline constexpr size_t kMaxIoThreads = 16;  // of one engine; each carries several hundred calls

}  // namespace patchbay::lib
