#include "file_name.h"

#include <algorithm>

namespace patchbay::transcripts {
namespace {

bool is_lower_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool is_letter_or_digit(char c) { return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z'); }

}  // namespace

bool is_call_id(std::string_view text) {
  return !text.empty() && text.size() <= 64 && is_letter_or_digit(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return is_letter_or_digit(c) || c == '-' || c == '_'; });
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
