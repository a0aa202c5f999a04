// Replaces what proves an identity or decrypts audio in the text of a SIP message.
#pragma once

#include <string>
#include <string_view>

namespace patchbay::sip_trunk {

// Masks with "***" the `response` of digest credentials and all other parameters of credentials that may
// contain a secret, credentials of other schemes as a whole, passwords in SIP URIs, and the keys in SDP
// (a=crypto, a=ice-pwd, k=). The message may be malformed; header names may be in any case, and lines may be
// folded.
std::string mask_credentials(std::string_view message);

}  // namespace patchbay::sip_trunk
