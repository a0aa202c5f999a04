#pragma once

#include <cstdint>
#include <functional>

namespace patchbay::core {

// Returns milliseconds since 1970. Called on the store's threads.
using Clock = std::function<int64_t()>;

}  // namespace patchbay::core
