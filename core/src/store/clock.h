#pragma once

#include <cstdint>
#include <functional>

namespace patchbay::core {

// Milliseconds since 1970; called on the store's threads.
using Clock = std::function<int64_t()>;

}  // namespace patchbay::core
