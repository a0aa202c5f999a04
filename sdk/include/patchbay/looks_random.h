// Tells values that only a generator makes from those that a person, or a log line, may hold.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace patchbay {

// Whether a value may be kept out of the log wherever it stands. What a tenant chooses freely may not:
// otherwise its "secret" could be the name of another tenant or user, or a word of the lines it wants to
// hide. True for at least 16 printable ASCII characters without blanks and '@', 8 of them different, if 16 in
// a row without '.' and ':' have an upper-case letter, a lower-case letter and a digit among them, or if
// there are at least 32 in all, and no '.' or ':'. A long name such as Firstname_Lastname1 therefore counts
// as random: with '_' and '-' between parts, 30 % of generated base64url tokens of 16 bytes would not (2 %
// today), and stand in the log. Pure, any thread.
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
