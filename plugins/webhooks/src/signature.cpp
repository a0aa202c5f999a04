#include "signature.h"

#include <patchbay/hex.h>

#include "crypto/digest.h"

namespace patchbay::webhooks {

std::string signature(std::string_view secret, std::string_view body) {
  return "sha256=" + to_hex(lib::hmac_sha256(secret, body));
}

std::string signature_v2(std::string_view secret, std::string_view timestamp, std::string_view body) {
  std::string signed_text(timestamp);
  signed_text.append(".").append(body);
  return signature(secret, signed_text);
}

}  // namespace patchbay::webhooks
