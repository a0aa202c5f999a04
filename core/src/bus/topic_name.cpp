#include "bus/topic_name.h"

#include <patchbay/text.h>

#include <algorithm>

#include "bus/limits.h"

namespace patchbay::core {
namespace {

bool word_character(char c) noexcept { return is_alphanumeric(c) || c == '-' || c == '_'; }

}  // namespace

bool valid_topic(std::string_view name) noexcept {
  if (name.empty() || name.size() > kMaxTopicBytes || name.front() == '.' || name.back() == '.') return false;
  if (name.find("..") != std::string_view::npos) return false;
  return std::all_of(name.begin(), name.end(), [](char c) { return c == '.' || word_character(c); });
}

bool reserved_topic(std::string_view name) noexcept { return name.substr(0, 5) == "core."; }

bool valid_pattern(std::string_view pattern) noexcept {
  if (pattern == "*") return true;
  if (pattern.size() > 2 && pattern.substr(pattern.size() - 2) == ".*") pattern.remove_suffix(2);
  return valid_topic(pattern);
}

bool matches(std::string_view pattern, std::string_view topic) noexcept {
  if (pattern == "*") return true;
  if (pattern.empty() || pattern.back() != '*') return pattern == topic;
  pattern.remove_suffix(1);  // keeps the dot
  return topic.size() > pattern.size() && topic.substr(0, pattern.size()) == pattern;
}

}  // namespace patchbay::core
