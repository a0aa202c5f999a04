// The SDP of a SIP message's body. Pure, any thread. The text comes from strangers.
#pragma once

#include <string_view>

namespace patchbay::sip_trunk {

// The whole body for application/sdp (media types ignore case; without a type it is taken for SDP), the first
// part of that type for multipart (RFC 2046; SIP-I carriers send SDP beside ISUP). Empty when there is none.
std::string_view find_sdp(std::string_view content_type, std::string_view body);

}  // namespace patchbay::sip_trunk
