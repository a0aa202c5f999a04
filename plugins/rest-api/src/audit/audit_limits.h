// The limits of the audit log that are not settings.
#pragma once

#include <cstddef>
#include <cstdint>

namespace patchbay::rest_api {

// Octets of the JSON before or after a change; a longer one is replaced by its size, so that a page of 500
// records fits the memory of one client's responses.
inline constexpr size_t kMaxAuditValueBytes = 8 * 1024;
// Characters of the other texts; longer ones are cut.
inline constexpr size_t kMaxAuditTextCharacters = 512;

// How often old records are removed, and how many of them in one transaction.
inline constexpr int64_t kAuditSweepIntervalMs = 3'600'000;
inline constexpr size_t kMaxSweptAuditRecords = 1000;

}  // namespace patchbay::rest_api
