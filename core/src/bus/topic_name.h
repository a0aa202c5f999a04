// Topic names, and the patterns of subscriptions and durable consumers. The bus and the event log share them.
#pragma once

#include <string_view>

namespace patchbay::core {

// Dot-separated words of letters, digits, '-' and '_'; 128 bytes at most.
bool valid_topic(std::string_view name) noexcept;
// True for topics that only the core may emit: "core.*".
bool reserved_topic(std::string_view name) noexcept;

// A topic name, "prefix.*" (all topics below prefix), or "*".
bool valid_pattern(std::string_view pattern) noexcept;
bool matches(std::string_view pattern, std::string_view topic) noexcept;

}  // namespace patchbay::core
