// looks_random(): whether a value was most likely generated, rather than chosen by a person.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace patchbay {

// Decides whether a value is redacted in all log lines. Freely chosen values are not, otherwise a tenant's
// "secret" could be the name of another tenant or user, or a word of lines that the tenant wants to hide.
//
// True for at least 16 printable ASCII characters without blanks and '@', 8 of them different, if a run of 16
// without '.' and ':' has an upper-case letter, a lower-case letter and a digit, or if there are at least 32
// characters and no '.' or ':'. A long name such as Firstname_Lastname1 counts as random: if '_' and '-'
// ended a run, too, 30 % of generated base64url tokens of 16 bytes (now 2 %) would not, and would be logged.
// Pure, any thread.
inline bool looks_random(std::string_view value) noexcept {
  constexpr size_t kMinSize = 16, kMinDistinct = 8, kMinSizeOfOneCase = 32;
  struct Part {  // between dots and colons, as in host names
    size_t size = 0;
    bool upper = false, lower = false, digit = false;
  };
  std::array<bool, 128> seen{};
  Part part;
  bool mixed = false, parted = false;
  for (const char c : value) {
    if (c <= 0x20 || c >= 0x7f || c == '@') return false;
    seen[static_cast<size_t>(c)] = true;
    if (c == '.' || c == ':') {
      parted = true;
      part = {};
      continue;
    }
    ++part.size;
    part.upper = part.upper || (c >= 'A' && c <= 'Z');
    part.lower = part.lower || (c >= 'a' && c <= 'z');
    part.digit = part.digit || (c >= '0' && c <= '9');
    mixed = mixed || (part.size >= kMinSize && part.upper && part.lower && part.digit);
  }
  if (std::count(seen.begin(), seen.end(), true) < static_cast<std::ptrdiff_t>(kMinDistinct)) return false;
  return mixed || (value.size() >= kMinSizeOfOneCase && !parted);
}

}  // namespace patchbay
