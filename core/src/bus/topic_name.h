// Names of topics and the patterns that consumers and subscriptions give: one language for the bus and the
// event log.
#pragma once

#include <string_view>

namespace patchbay::core {

// Dot-separated words of letters, digits, '-' and '_'; 128 bytes at most.
bool valid_topic(std::string_view name) noexcept;
// Topics that only the core emits: "core.*".
bool reserved_topic(std::string_view name) noexcept;

// A topic's name, "prefix.*" (everything below prefix), or "*".
bool valid_pattern(std::string_view pattern) noexcept;
bool matches(std::string_view pattern, std::string_view topic) noexcept;

}  // namespace patchbay::core
