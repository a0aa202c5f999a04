// Interns the names of owners. They are never freed, because the watchdog may read the name of the owner that
// a thread works for while the thread begins to work for another.
#pragma once

#include <string_view>

namespace patchbay::core {

// [any, not media] A NUL-terminated copy that lives for ever; equal names give the same pointer. Only for
// plugin ids, as these are few.
const char* interned_name(std::string_view name);

}  // namespace patchbay::core
