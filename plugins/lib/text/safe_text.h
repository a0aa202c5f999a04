// Text from an engine or another peer, made safe for the store, the transcript and the log. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace patchbay::lib {

// Returns valid UTF-8 without NUL, which the store refuses: replaces invalid bytes and NUL by U+FFFD.
std::string valid_text(std::string_view text);

// Returns `text` as one line for a log: control characters become \xNN, invalid UTF-8 becomes '?', and text
// beyond `limit` bytes becomes "…".
std::string printable(std::string_view text, size_t limit = 200);

// Rejoins characters that are split between two fragments of one speaker's text: keeps an incomplete
// character at the end of a fragment for the next one.
class TextFragments {
 public:
  // Returns the complete characters so far, by valid_text().
  std::string take(std::string_view fragment);

 private:
  std::string rest_;  // the first bytes of a character, at most 3
};

// Replaces `secret` in `text` by "***", also if only its beginning is there, because close reasons are cut at
// 123 bytes. Keeps a secret or beginning shorter than kMinSecretBytes, because it would match ordinary text.
constexpr size_t kMinSecretBytes = 8;
std::string redact_secret(std::string_view text, std::string_view secret);

}  // namespace patchbay::lib
