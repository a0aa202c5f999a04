// X-Platform-Admin-Signature: hex HMAC-SHA256 of a canonical string, keyed with the tenant's shared secret,
// with or without `sha256=` before it. Pure functions, any thread.
//
// The canonical string holds no content of the body, only its length: see the README.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace patchbay::whitelist {

// "whitelist-list|<tenant>"
std::string canonical(std::string_view verb, std::string_view tenant);
// "whitelist-add|<tenant>|<bytes of the body>"
std::string canonical(std::string_view verb, std::string_view tenant, size_t body_length);

// Compares in constant time.
bool signature_matches(std::string_view header, std::string_view secret, std::string_view canonical_text);

}  // namespace patchbay::whitelist
