#include "store/event.h"

namespace patchbay::core {

bool is_topic_pattern(std::string_view pattern) {
  if (pattern == "*") return true;
  if (pattern.size() > 2 && pattern.substr(pattern.size() - 2) == ".*") pattern.remove_suffix(2);
  return !pattern.empty() && pattern.find_first_of("* \t\r\n") == std::string_view::npos;
}

bool topic_matches(std::string_view pattern, std::string_view topic) {
  if (pattern == "*") return true;
  if (pattern.empty() || pattern.back() != '*') return pattern == topic;
  std::string_view stem = pattern.substr(0, pattern.size() - 1);  // "call."
  return topic.size() > stem.size() && topic.substr(0, stem.size()) == stem;
}

}  // namespace patchbay::core
