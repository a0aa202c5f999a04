// Text from an engine or another peer, made safe for the store, the transcript and the log. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace patchbay::lib {

// Valid UTF-8 without NUL, which the store refuses: what is neither becomes U+FFFD.
std::string valid_text(std::string_view text);

// `text` for one line: control characters become \xNN, a byte that is not UTF-8 becomes '?', and what is over
// `limit` bytes is cut off as "…".
std::string printable(std::string_view text, size_t limit = 200);

// The fragments of one speaker. A fragment may end in the middle of a character: the rest is then expected at
// the start of the next one.
class TextFragments {
 public:
  // The text of `fragment` that is complete, valid as valid_text() makes it.
  std::string take(std::string_view fragment);

 private:
  std::string rest_;  // the first bytes of a character, at most 3
};

// `text` with `secret` replaced by "***", also where it breaks off: close reasons are cut at 123 bytes. A
// secret, or a part of one, that is shorter than kMinSecretBytes is left: it would match ordinary text.
constexpr size_t kMinSecretBytes = 8;
std::string without_secret(std::string_view text, std::string_view secret);

}  // namespace patchbay::lib
