// Tells values that only a generator makes from those that a person, or a log line, may hold.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace patchbay {

// Whether a value may be kept out of the log wherever it stands. What a tenant chooses freely may not:
// otherwise its "secret" could be the name of another tenant or a word of the lines it wants to hide. True
// for at least 16 printable ASCII characters without blanks, 8 of them different, with an upper-case letter,
// or at least 32 that are no host name. Pure, any thread.
inline bool looks_random(std::string_view value) noexcept {
  constexpr size_t kMinSize = 16, kMinDistinct = 8, kMinSizeOfLowerCase = 32;
  if (value.size() < kMinSize) return false;
  std::array<bool, 128> seen{};
  bool upper = false, host_like = false;
  for (const char c : value) {
    if (c <= 0x20 || c >= 0x7f) return false;
    seen[static_cast<size_t>(c)] = true;
    upper = upper || (c >= 'A' && c <= 'Z');
    host_like = host_like || c == '.' || c == ':' || c == '@';
  }
  if (std::count(seen.begin(), seen.end(), true) < static_cast<std::ptrdiff_t>(kMinDistinct)) return false;
  return upper || (value.size() >= kMinSizeOfLowerCase && !host_like);
}

}  // namespace patchbay
