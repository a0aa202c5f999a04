// Reads one YAML document strictly. yaml-cpp parses; what it lets through is refused here: duplicate keys,
// keys that are not words, aliases inside what they name, more than kMaxNodes nodes or kMaxTextBytes of text
// after aliases are expanded, nesting beyond kMaxDepth, tags other than !!str, tabs in indentation, a second
// document, bytes that are not UTF-8.
#pragma once

#include <optional>
#include <string_view>

#include "config/problem.h"
#include "config/value.h"

namespace patchbay::core::config {

constexpr size_t kMaxFileBytes = 1 << 20;
constexpr size_t kMaxNodes = 10000;
constexpr size_t kMaxTextBytes = 4 << 20;
constexpr size_t kMaxDepth = 32;

// An empty document is an empty map. On failure nothing, and `problem` says why (its file is left to the
// caller).
std::optional<Value> read_yaml(std::string_view text, Problem& problem);

}  // namespace patchbay::core::config
