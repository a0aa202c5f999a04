// What a peer sent, made safe for one line of a log.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace patchbay::lib {

// Control characters become \xNN, invalid UTF-8 becomes '?', and what is over `limit` bytes is cut off as
// "…".
std::string printable(std::string_view text, size_t limit = 200);

// At most `limit` bytes of `text`, never half a character.
std::string_view clip_utf8(std::string_view text, size_t limit);

// `text` with a U+FFFD for each byte that is not UTF-8.
std::string valid_utf8(std::string_view text);

// The length of the valid UTF-8 sequence at the start of `text`, 0 when there is none.
size_t utf8_sequence(std::string_view text);

}  // namespace patchbay::lib
