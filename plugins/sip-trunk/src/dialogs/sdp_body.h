// Finds the SDP in the body of a SIP message. Pure function, any thread. The text is untrusted.
#pragma once

#include <string_view>

namespace patchbay::sip_trunk {

// Returns the whole body of type application/sdp or without a type, or the first such part of a multipart
// body (RFC 2046; SIP-I carriers send SDP together with ISUP). Media types ignore case. Empty: no SDP.
std::string_view find_sdp(std::string_view content_type, std::string_view body);

}  // namespace patchbay::sip_trunk
