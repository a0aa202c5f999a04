// The signatures of deliveries. Pure functions; any thread.
#pragma once

#include <string>
#include <string_view>

namespace patchbay::webhooks {

// X-Platform-Signature: "sha256=" and the hex HMAC-SHA256 of the body.
std::string signature(std::string_view secret, std::string_view body);
// X-Platform-Signature-V2: the same of "<timestamp>.<body>".
std::string signature_v2(std::string_view secret, std::string_view timestamp, std::string_view body);

}  // namespace patchbay::webhooks
