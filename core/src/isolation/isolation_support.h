// What this machine's kernel can contain, for reports in the log, in `patchbay plugin doctor` and in /readyz,
// and which plugins cannot be isolated. The child confines itself (confine.h).
#pragma once

#include <string>
#include <vector>

namespace patchbay::core::isolation {

// The version of Landlock in the kernel; 0: it has none, or it is switched off.
int landlock_version() noexcept;

// What is not contained on this kernel, and the remedy; "" when everything is.
std::string missing_containment();

// "" when a plugin that provides these services can run in a separate process, otherwise why not, and the
// remedy.
std::string isolation_obstacle(const std::vector<std::string>& provides);

}  // namespace patchbay::core::isolation
