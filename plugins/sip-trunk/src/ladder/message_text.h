// Parts of the text of a SIP message. Pure; any thread.
#pragma once

#include <cctype>
#include <string_view>

namespace patchbay::sip_trunk {

inline std::string_view trim(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  return text;
}

// Whether `text` begins with `word`, in any case.
inline bool begins_with(std::string_view text, std::string_view word) {
  if (text.size() < word.size()) return false;
  for (size_t i = 0; i < word.size(); ++i)
    if (std::tolower(static_cast<unsigned char>(text[i])) !=
        std::tolower(static_cast<unsigned char>(word[i])))
      return false;
  return true;
}

// The name of the header that a line begins; "" for a line that begins none.
inline std::string_view header_name(std::string_view line) {
  const size_t colon = line.find(':');
  return colon == std::string_view::npos ? std::string_view() : trim(line.substr(0, colon));
}

inline bool is_name(std::string_view text, std::string_view name) {
  return text.size() == name.size() && begins_with(text, name);
}

}  // namespace patchbay::sip_trunk
