// Escapes untrusted text for use inside one log line: control characters, escape sequences, line and
// paragraph separators, invisible or direction-changing characters, and bytes that are not UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace patchbay::core::observe {

// For people: \n, \r, \t, \xNN for a byte, \u{NNNN} for a character. A backslash is doubled, because it would
// otherwise be ambiguous.
void append_escaped(std::string& out, std::string_view text);

// As a JSON string with its quotes: \uNNNN; bytes that are not UTF-8 become U+FFFD.
void append_json_string(std::string& out, std::string_view text);

// At most `max_bytes` bytes of `text`, cut between characters.
std::string_view truncate_utf8(std::string_view text, size_t max_bytes) noexcept;

}  // namespace patchbay::core::observe
