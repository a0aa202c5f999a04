// Encodes bytes as text and decodes them. Pure functions, any thread. Decoders return nullopt for invalid
// text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace patchbay::lib {

// Writes lower case.
std::string to_hex(std::string_view bytes);
// Accepts either case.
std::optional<std::string> from_hex(std::string_view text);

// Base64url (RFC 4648 section 5) without padding. The decoder refuses padding, other characters and non-zero
// bits at the end, so that each byte string has one text.
std::string to_base64url(std::string_view bytes);
std::optional<std::string> from_base64url(std::string_view text);

}  // namespace patchbay::lib
