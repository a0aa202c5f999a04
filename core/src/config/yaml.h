// Reads one YAML document strictly. In addition to yaml-cpp's errors, refuses: duplicate keys, keys that are
// not scalars, aliases inside the node they name, more than kMaxNodes nodes or kMaxTextBytes of text after
// expansion of aliases, nesting beyond kMaxDepth, tags other than !!str, !!seq and !!map, tabs in
// indentation, a second document, bytes that are not UTF-8.
#pragma once

#include <optional>
#include <string_view>

#include "config/problem.h"
#include "config/yaml_value.h"

namespace patchbay::core::config {

// An empty document gives an empty map. On failure returns nothing and sets `problem`, except its file.
std::optional<Value> read_yaml(std::string_view text, Problem& problem);

}  // namespace patchbay::core::config
