// Limits of the configuration file.
#pragma once

#include <cstddef>

namespace patchbay::core::config {

inline constexpr size_t kMaxFileBytes = 1 << 20;
// After the expansion of aliases, because a few aliases can stand for gigabytes.
inline constexpr size_t kMaxNodes = 10'000;
inline constexpr size_t kMaxTextBytes = 4 << 20;
inline constexpr size_t kMaxDepth = 32;
inline constexpr size_t kMaxSecretBytes = 64 << 10;         // of the file at {file: PATH}
inline constexpr size_t kMaxPluginNameCharacters = 64;      // of a key under `plugins`
inline constexpr size_t kMaxProblems = 20;                  // reported; further ones show up in the next run
inline constexpr size_t kMaxNameInProblem = 60;             // characters of a key
inline constexpr size_t kMaxParserMessageCharacters = 120;  // of yaml-cpp

}  // namespace patchbay::core::config
