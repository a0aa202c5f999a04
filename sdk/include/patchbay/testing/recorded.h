// What a fake host recorded of its plugins: events, log lines, ports, broken rules.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "../str.h"
#include "table.h"

namespace patchbay::testing {

struct RecordedEvent {
  std::string plugin;  // the publisher's id; "" when a commit emitted it
  std::string topic, tenant, subject, correlation;
  std::string payload;  // JSON
  int64_t id = 0;       // position in the durable log; 0: transient
  int64_t time_ms = 0;  // set for durable events

  bool durable() const noexcept { return id != 0; }
};

struct RecordedLine {
  std::string plugin;
  uint32_t level = PB_LOG_INFO;
  std::string correlation, text;
  std::vector<std::pair<std::string, std::string>> fields;

  // "" when there is no such field.
  std::string field(std::string_view key) const {
    for (const auto& [name, value] : fields)
      if (name == key) return value;
    return {};
  }
};

struct RecordedPort {
  std::string plugin;
  uint64_t handle = 0;
  uint32_t pull_rate_hz = 0, push_rate_hz = 0;
};

// A broken rule of the boundary.
struct Problem {
  std::string name;  // see pb_recorded_problem
  std::string plugin;
  std::string text;
};

namespace detail {

// A sink that converts and appends to a vector.
template <class T, class Raw, T (*convert)(const Raw&)>
void collect(void* user, const Raw* raw) noexcept {
  static_cast<std::vector<T>*>(user)->push_back(convert(*raw));
}

inline std::string text_of(pb_str from) { return std::string(from_abi(from)); }

inline RecordedEvent event_of(const pb_recorded_event& raw) {
  const pb_event& event = *raw.event;
  return {text_of(raw.plugin),
          text_of(event.topic),
          text_of(event.tenant),
          text_of(event.subject),
          text_of(event.correlation),
          text_of(event.payload),
          event.id,
          event.time_ms};
}

inline RecordedLine line_of(const pb_recorded_line& raw) {
  RecordedLine line{text_of(raw.plugin), raw.level, text_of(raw.correlation), text_of(raw.text), {}};
  for (uint32_t i = 0; i < raw.count; ++i)
    line.fields.emplace_back(text_of(raw.fields[i].key), text_of(raw.fields[i].value));
  return line;
}

inline RecordedPort port_of(const pb_recorded_port& raw) {
  return {text_of(raw.plugin), raw.handle, raw.pull_rate_hz, raw.push_rate_hz};
}

inline Problem problem_of(const pb_recorded_problem& raw) {
  return {text_of(raw.name), text_of(raw.plugin), text_of(raw.text)};
}

}  // namespace detail
}  // namespace patchbay::testing
