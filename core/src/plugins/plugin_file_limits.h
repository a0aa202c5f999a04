// Limits of plugin files.
#pragma once

#include <cstddef>
#include <cstdint>

namespace patchbay::core {

inline constexpr uint64_t kMaxPluginFileBytes = 512u << 20;
inline constexpr size_t kMaxManifestBytes = 256 * 1024;
inline constexpr size_t kMaxEntryBytes = 64 * 1024;  // states of a larger pb_entry are taken for garbage
// Real files have fewer than 100 of each; more would only cost time.
inline constexpr size_t kMaxElfSections = 4096;
inline constexpr size_t kMaxElfSegments = 256;

}  // namespace patchbay::core
