// A configuration as it was written: mappings, lists and scalars with their places, before any schema has
// judged them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.h"

namespace patchbay::core::config {

struct Mark {
  int line = 0;  // from 1; 0: nowhere
  int column = 0;
  std::string variable;  // the environment variable it came from, if any
};

struct Entry;

struct Value {
  enum class Kind : uint8_t { null, plain, quoted, list, map };
  Kind kind = Kind::null;
  Mark mark;
  std::string text;            // of plain and quoted
  std::vector<Value> items;    // of a list
  std::vector<Entry> entries;  // of a map, in the order of the file

  Entry* find(std::string_view key);
  const Entry* find(std::string_view key) const;
};

struct Entry {
  std::string key;
  Mark mark;  // of the key
  Value value;
};

// Where each node of a document made by to_json came from, by Node::origin.
class SourceMap {
 public:
  uint32_t add(const Value& value, const Mark& mark);
  const Mark& mark(uint32_t origin) const;
  // How a plain scalar was written; none for the others.
  std::optional<std::string_view> spelling(uint32_t origin) const;

 private:
  struct Place {
    Mark mark;
    std::string text;
    bool plain;
  };
  std::vector<Place> places_;
};

// Plain scalars become null, booleans and numbers by YAML 1.2's core schema, the others strings. The mark of
// a member is that of its key.
json::Document to_json(const Value& value, SourceMap& marks);

}  // namespace patchbay::core::config
