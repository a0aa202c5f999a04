// Makes text from anywhere safe to stand inside one line of a log: no control characters, no escape
// sequences, no line or paragraph separators, no invisible or direction-changing characters, nothing that is
// not UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace patchbay::core::observe {

// For people: \n, \r, \t, \xNN for a byte, \u{NNNN} for a character; a backslash is doubled so that none is
// ambiguous.
void append_escaped(std::string& out, std::string_view text);

// For JSON, with its quotes: \uNNNN; bytes that are not UTF-8 become U+FFFD.
void append_json_string(std::string& out, std::string_view text);

// At most `max_bytes` bytes of `text`, cut between characters.
std::string_view truncate_utf8(std::string_view text, size_t max_bytes) noexcept;

}  // namespace patchbay::core::observe
