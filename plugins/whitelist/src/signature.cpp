#include "signature.h"

#include <patchbay/hex.h>

#include "crypto/digest.h"

namespace patchbay::whitelist {

std::string canonical(std::string_view verb, std::string_view tenant) {
  return "whitelist-" + std::string(verb) + "|" + std::string(tenant);
}

std::string canonical(std::string_view verb, std::string_view tenant, size_t body_length) {
  return canonical(verb, tenant) + "|" + std::to_string(body_length);
}

bool signature_matches(std::string_view header, std::string_view secret, std::string_view canonical_text) {
  constexpr std::string_view kPrefix = "sha256=";
  if (header.substr(0, kPrefix.size()) == kPrefix) header.remove_prefix(kPrefix.size());
  const auto given = from_hex(header);
  return given && lib::equal_constant_time(*given, lib::hmac_sha256(secret, canonical_text));
}

}  // namespace patchbay::whitelist
