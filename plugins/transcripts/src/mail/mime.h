// Parts of Internet messages (RFC 5322, 2045, 2047). Results have lines of at most 78 characters and no bytes
// beyond ASCII. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace patchbay::transcripts {

// Text for a header such as Subject. Control characters become blanks; text that is not plain ASCII becomes
// encoded words, on several lines if it is long. `name_size`: of the header's name and what precedes the
// text.
std::string header_text(std::string_view text, size_t name_size);
// "Ann <ann@example.com>", or the address alone without a name.
std::string header_address(std::string_view name, std::string_view address, size_t name_size);
// "Fri, 20 Nov 2026 07:00:01 +0000".
std::string header_date(int64_t time_ms);
// Base64 in lines of 76 characters, each with CRLF.
std::string base64_lines(std::string_view bytes);

}  // namespace patchbay::transcripts
