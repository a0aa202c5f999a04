// A configuration as written: mappings, lists and scalars with their positions, before validation.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.h"

namespace patchbay::core::config {

struct Mark {
  int line = 0;  // from 1; 0: unknown
  int column = 0;
  std::string variable;  // the environment variable that set it, if any
};

struct Entry;

struct Value {
  enum class Kind : uint8_t { null, plain, quoted, list, map };
  Kind kind = Kind::null;
  Mark mark;
  std::string text;            // of a plain or quoted scalar
  std::vector<Value> items;    // of a list
  std::vector<Entry> entries;  // of a map, in file order

  Entry* find(std::string_view key);
  const Entry* find(std::string_view key) const;
};

struct Entry {
  std::string key;
  Mark mark;  // of the key
  Value value;
};

// Maps each node of a document made by to_json() to its position, by Node::origin.
class SourceMap {
 public:
  uint32_t add(const Value& value, const Mark& mark);
  const Mark& mark(uint32_t origin) const;
  // Returns how a plain scalar was written; none for other nodes.
  std::optional<std::string_view> spelling(uint32_t origin) const;

 private:
  struct Position {
    Mark mark;
    std::string text;
    bool plain;
  };
  std::vector<Position> positions_;
};

// Converts plain scalars by YAML 1.2's core schema to null, booleans, numbers or strings. A member's position
// is that of its key.
json::Document to_json(const Value& value, SourceMap& marks);

}  // namespace patchbay::core::config
