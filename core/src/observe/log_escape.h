// Escapes untrusted text for use inside one log line: control characters, escape sequences, line and
// paragraph separators, invisible or direction-changing characters, and bytes that are not UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace patchbay::core::observe {

// For people: \n, \r, \t, \xNN for a byte, \u{NNNN} for a character. A backslash is doubled, because it would
// otherwise be ambiguous.
void append_escaped(std::string& out, std::string_view text);

// As a JSON string with its quotes: \uNNNN; bytes that are not UTF-8 become U+FFFD. Escapes more than
// patchbay/json_string.h does, as a terminal shows the line.
void append_escaped_json(std::string& out, std::string_view text);

}  // namespace patchbay::core::observe
