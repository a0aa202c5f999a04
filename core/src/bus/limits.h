// Limits of the event bus.
#pragma once

#include <cstddef>
#include <cstdint>

namespace patchbay::core {

inline constexpr size_t kMaxTopicBytes = 128;  // of a topic's name
inline constexpr size_t kMaxTopics = 16'384;
inline constexpr uint32_t kMaxTopicsPerPublisher = 1'024;  // created by one plugin

// Events that wait for one subscriber; beyond, its policy drops the oldest or the newest.
inline constexpr uint32_t kDefaultQueuedEvents = 1'024;
inline constexpr uint32_t kMaxQueuedEvents = 65'536;
inline constexpr size_t kMaxQueuedEventBytes = size_t{16} << 20;

inline constexpr size_t kMaxEventsPerDelivery = 63;              // a 512-byte chunk; then other tasks run
inline constexpr int64_t kDropReportIntervalNs = 1'000'000'000;  // while events are being dropped

}  // namespace patchbay::core
