// X-Platform-Admin-Signature: hex HMAC-SHA256 of a canonical string, keyed with the tenant's shared secret,
// optionally prefixed with `sha256=`. Pure functions, any thread.
//
// The canonical string has the length of the body but not its content; README.md has the consequences.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace patchbay::whitelist {

// "whitelist-list|<tenant>"
std::string canonical(std::string_view verb, std::string_view tenant);
// "whitelist-add|<tenant>|<bytes of the body>"
std::string canonical(std::string_view verb, std::string_view tenant, size_t body_length);

// Compares in constant time. `header`: the signature as received.
bool signature_matches(std::string_view header, std::string_view secret, std::string_view canonical_text);

}  // namespace patchbay::whitelist
