// Proof Key for Code Exchange (RFC 7636), method S256. Pure; any thread.
#pragma once

#include <patchbay/base64.h>
#include <patchbay/percent_encoding.h>

#include <algorithm>
#include <string_view>

#include "crypto/digest.h"

namespace patchbay::identity {

// Whether the text is a SHA-256 in base64url.
inline bool is_code_challenge(std::string_view text) {
  return text.size() == 43 && from_base64url(text).has_value();
}

// Whether the text is 43 to 128 unreserved characters.
inline bool is_code_verifier(std::string_view text) {
  return text.size() >= 43 && text.size() <= 128 && std::all_of(text.begin(), text.end(), is_unreserved);
}

inline bool verifies_challenge(std::string_view verifier, std::string_view challenge) {
  return is_code_verifier(verifier) &&
         lib::equal_constant_time(to_base64url(lib::sha256(verifier)), challenge);
}

}  // namespace patchbay::identity
