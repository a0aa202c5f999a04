// Limits of what one plugin may do through the host's tables.
#pragma once

#include <cstddef>
#include <cstdint>

#include "json/limits.h"

namespace patchbay::core {

inline constexpr size_t kMaxOpenTransactions = 16'384;
inline constexpr json::Limits kPluginJsonLimits{.bytes = 16u << 20, .depth = 32};

// A plugin that publishes more events is named in the log.
inline constexpr int64_t kFloodEventsPerSecond = 20'000;
inline constexpr uint32_t kFloodSampleEvents = 4'096;    // between two reads of the clock
inline constexpr int64_t kMisuseLogIntervalMs = 10'000;  // between two warnings about one function

// Job workers and durable consumers.
inline constexpr size_t kMaxConsumers = 64;      // of a plugin, because each event is stored for each of them
inline constexpr int64_t kMaxLogEvents = 1'000;  // of one read of the log
inline constexpr int64_t kMaxJobSleepMs = 3'600'000;  // a worker checks for due jobs at least so often
inline constexpr int64_t kStoreRetryMs = 1'000;       // after the store refused
inline constexpr int64_t kMaxStoreRetryMs = 60'000;   // for a consumer, whose delay doubles

}  // namespace patchbay::core
