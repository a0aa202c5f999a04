// The limits of transcripts that are not settings.
#pragma once

#include <cstddef>
#include <cstdint>

namespace patchbay::transcripts {

// A document that is saved, and a file that is read, which an earlier version may have written.
inline constexpr size_t kMaxDocumentBytes = size_t{16} * 1024 * 1024;
inline constexpr size_t kMaxFileBytes = size_t{64} * 1024 * 1024;
inline constexpr int64_t kMaxAttempt = 1000;

// How often old transcripts are deleted, and how many in one transaction, so that others do not wait.
inline constexpr int64_t kSweepIntervalMs = 3'600'000;
inline constexpr int64_t kMaxSweptRows = 200;

}  // namespace patchbay::transcripts
