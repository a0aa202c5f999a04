#include "config/position.h"

#include <charconv>
#include <cstddef>

namespace patchbay::core::config {
namespace {

// Whether a key of the path ends before `rest`.
bool ends_key(std::string_view rest) {
  return rest.empty() || std::string_view(".[: ").find(rest.front()) != std::string_view::npos;
}

// The longest key that the path begins with, because hosts contain dots.
const Entry* find_entry(const Value& map, std::string_view path) {
  const Entry* found = nullptr;
  for (const Entry& entry : map.entries) {
    const bool begins =
        path.substr(0, entry.key.size()) == entry.key && ends_key(path.substr(entry.key.size()));
    if (begins && (found == nullptr || entry.key.size() > found->key.size())) found = &entry;
  }
  return found;
}

// Reads "[1]" from the beginning of the path, and removes it.
const Value* take_item(const Value& list, std::string_view& path) {
  size_t index = 0;
  const char* end = path.data() + path.size();
  const auto [after, failed] = std::from_chars(path.data() + 1, end, index);
  if (failed != std::errc() || after == end || *after != ']' || index >= list.items.size()) return nullptr;
  path.remove_prefix(static_cast<size_t>(after - path.data()) + 1);
  return &list.items[index];
}

}  // namespace

Mark position_of(const Value& root, std::string_view error) {
  Mark mark;
  const Value* at = &root;
  while (!error.empty()) {
    if (error.front() == '[') {
      at = take_item(*at, error);
      if (at == nullptr) return mark;
      if (at->mark.line > 0) mark = at->mark;
    } else {
      const Entry* entry = find_entry(*at, error);
      if (entry == nullptr) return mark;
      at = &entry->value;
      mark = entry->mark;
      error.remove_prefix(entry->key.size());
    }
    if (error.empty() || (error.front() != '.' && error.front() != '[')) return mark;
    if (error.front() == '.') error.remove_prefix(1);
  }
  return mark;
}

}  // namespace patchbay::core::config
