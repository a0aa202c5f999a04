#include "routes/unreachable_rows.h"

#include <algorithm>
#include <string>
#include <unordered_map>

namespace patchbay::sip_trunk {
namespace {

// The patterns that match all that `pattern` matches, itself included.
std::vector<std::string> covering_patterns(const std::string& pattern) {
  if (pattern == "*") return {pattern};
  if (pattern == "anonymous") return {pattern, "*"};
  std::vector<std::string> all;
  const bool is_prefix = pattern.back() == '*';
  const size_t digits = pattern.size() - (is_prefix ? 1 : 0);
  for (size_t length = 0; length <= digits; ++length) all.push_back(pattern.substr(0, length) + "*");
  if (!is_prefix) all.push_back(pattern);
  return all;
}

std::string joined_key(const std::string& called, const std::string& calling) {
  return called + "|" + calling;
}

}  // namespace

std::vector<UnreachableRow> unreachable_rows(const RouteRows& rows) {
  std::vector<UnreachableRow> found;
  std::unordered_map<std::string, size_t> earlier;  // the first row of each pair of patterns
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].contradicts_itself()) {
      found.push_back({i, std::nullopt});
      continue;
    }
    const std::string called = rows[i].called_pattern();
    const std::string calling = rows[i].calling_pattern();
    std::optional<size_t> first;
    for (const std::string& wide_called : covering_patterns(called)) {
      for (const std::string& wide_calling : covering_patterns(calling)) {
        const auto at = earlier.find(joined_key(wide_called, wide_calling));
        if (at != earlier.end()) first = std::min(first.value_or(at->second), at->second);
      }
    }
    if (first) found.push_back({i, first});
    earlier.emplace(joined_key(called, calling), i);
  }
  return found;
}

}  // namespace patchbay::sip_trunk
