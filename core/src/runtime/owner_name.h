// Names of owners that are never freed: the watchdog may read the name of what a thread is doing while the
// thread goes on to something else.
#pragma once

#include <string_view>

namespace patchbay::core {

// [any, not media] Terminated; the same text gives the same pointer. For ids of plugins: few.
const char* interned_name(std::string_view name);

}  // namespace patchbay::core
