// DTMF in INFO requests, which some PBXs and gateways send instead of telephone-events. Pure function, any
// thread. The text is untrusted.
#pragma once

#include <optional>
#include <string_view>

namespace patchbay::sip_trunk {

// Returns the digit ("0-9*#A-D") in a body of application/dtmf-relay ("Signal=5", with Duration or without)
// or application/dtmf ("5"); nullopt for other types and signals.
std::optional<char> digit_of_info(std::string_view content_type, std::string_view body);

}  // namespace patchbay::sip_trunk
