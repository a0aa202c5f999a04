// Bytes as text and back. Pure functions, any thread. Decoding is strict: one text for each byte string.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace patchbay::lib {

// Lower case.
std::string to_hex(std::string_view bytes);
// Either case.
std::optional<std::string> from_hex(std::string_view text);

// RFC 4648 section 5, without padding. Decoding refuses padding, other characters and stray bits at the end.
std::string to_base64url(std::string_view bytes);
std::optional<std::string> from_base64url(std::string_view text);

}  // namespace patchbay::lib
