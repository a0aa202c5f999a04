// Limits of log lines and metrics.
#pragma once

#include <cstddef>
#include <cstdint>

namespace patchbay::core::observe {

// Of a log line.
inline constexpr size_t kMaxText = 8 << 10;   // bytes of the event's text; a longer one is cut
inline constexpr size_t kMaxValue = 2 << 10;  // bytes of a field's value; a longer one is cut
inline constexpr size_t kMaxFields = 64;      // further ones are left out
inline constexpr size_t kMaxName = 128;       // bytes of a component, correlation or field name

// Of lines that wait to be written; further ones are dropped and counted.
inline constexpr size_t kMaxQueuedBytes = 4 << 20;
inline constexpr size_t kExtraQueuedBytes = 1 << 20;  // for warnings and errors only
inline constexpr int64_t kGatherLinesMs =
    20;  // lines below a warning that follow another wait so long for more
inline constexpr int64_t kFlushTimeoutMs = 1'000;  // of flush(), and of writing the rest at the end

inline constexpr size_t kMaxThrottledKeys = 1'024;  // further keys share one line per interval
inline constexpr size_t kMinRedactedBytes = 6;      // shorter secrets would hide ordinary words

// Of metrics.
inline constexpr size_t kMaxSeries = 10'000;
inline constexpr size_t kMaxLabelValueBytes = 200;  // a longer value is cut

}  // namespace patchbay::core::observe
