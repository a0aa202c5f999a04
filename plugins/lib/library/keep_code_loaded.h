// For threads that cannot be joined, because they hang: their code must stay loaded until the process ends.
#pragma once

namespace patchbay::lib {

// [any] Prevents the host from unloading the shared object, such as a plugin, into which this function is
// linked.
void keep_code_loaded();

}  // namespace patchbay::lib
