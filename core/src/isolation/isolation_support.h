// What this machine's kernel can keep an isolated plugin from: reported by the log, doctor and /readyz. The
// limits themselves are set by the child itself (confine.h).
#pragma once

#include <string>
#include <vector>

namespace patchbay::core::isolation {

// The version of Landlock that the kernel speaks; 0: it has none, or it is switched off.
int landlock_version() noexcept;

// What is not contained on this kernel, and the remedy; "" when everything is.
std::string missing_containment();

// "" when a plugin that provides these services can run in a separate process, otherwise why not, and the
// remedy.
std::string isolation_obstacle(const std::vector<std::string>& provides);

}  // namespace patchbay::core::isolation
