#include "file_name.h"

#include <patchbay/text.h>

#include <algorithm>

namespace patchbay::transcripts {
namespace {

bool is_lower_or_digit(char c) { return (c >= 'a' && c <= 'z') || is_digit(c); }

}  // namespace

bool is_call_id(std::string_view text) {
  return !text.empty() && text.size() <= 64 && is_alphanumeric(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return is_alphanumeric(c) || c == '-' || c == '_'; });
}

bool is_tenant(std::string_view text) {
  return !text.empty() && text.size() <= 253 && is_lower_or_digit(text.front()) &&
         text.find("..") == std::string_view::npos && std::all_of(text.begin(), text.end(), [](char c) {
           return is_lower_or_digit(c) || c == '-' || c == '_' || c == '.';
         });
}

std::string file_name(std::string_view call_id, int64_t attempt) {
  std::string name(call_id);
  if (attempt > 1) name.append("-").append(std::to_string(attempt));
  return name + ".json";
}

}  // namespace patchbay::transcripts
