#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace patchbay::core {

// Returns milliseconds since 1970. Called on the store's threads.
using Clock = std::function<int64_t()>;

inline int64_t system_now_ms() {
  using std::chrono::duration_cast, std::chrono::milliseconds;
  return duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace patchbay::core
