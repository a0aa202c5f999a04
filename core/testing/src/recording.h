// Recording: records what plugins did, for the test. Thread-safe; locks a mutex also on media loops, which
// only tests may do.
#pragma once

#include <patchbay/testing/table.h>

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace patchbay::fake {

struct RecordedEvent {
  std::string plugin;
  std::string topic, tenant, subject, correlation, payload;
  int64_t id = 0;
  int64_t time_ms = 0;
};

struct RecordedLine {
  std::string plugin;
  uint32_t level = 0;
  std::string correlation, text;
  std::vector<std::pair<std::string, std::string>> fields;
};

struct RecordedPort {
  std::string plugin;
  uint64_t handle = 0;
  uint32_t pull_rate_hz = 0, push_rate_hz = 0;
};

struct RecordedProblem {
  std::string name, plugin, text;
};

// A thread-safe list that only grows.
template <class T>
class RecordedList {
 public:
  void add(T what) {
    const std::lock_guard lock(mutex_);
    all_.push_back(std::move(what));
  }
  std::vector<T> from(uint64_t first) const {
    const std::lock_guard lock(mutex_);
    if (first >= all_.size()) return {};
    return {all_.begin() + static_cast<std::ptrdiff_t>(first), all_.end()};
  }
  uint64_t size() const {
    const std::lock_guard lock(mutex_);
    return all_.size();
  }

 private:
  mutable std::mutex mutex_;
  std::vector<T> all_;
};

struct Recording {
  RecordedList<RecordedEvent> events;
  RecordedList<RecordedLine> lines;
  RecordedList<RecordedPort> ports;
  RecordedList<RecordedProblem> problems;
};

}  // namespace patchbay::fake
