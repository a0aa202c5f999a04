// Our answer to a digest challenge of a trunk. sip thread.
#pragma once

#include <patchbay/result.h>

#include "sip_types.h"
#include "sofia.h"

namespace patchbay::sip_trunk {

// The Authorization or Proxy-Authorization header for a new INVITE to `uri`, allocated on `home`, for the
// first MD5 challenge of `response` (401 or 407) whose realm is the trunk's. Challenges with other algorithms
// are passed over. Code::denied when there is none to answer.
Result<msg_header_t*> answer_challenge(su_home_t* home, const sip_t& response, const TrunkAccess& trunk,
                                       const char* uri);

// Whether the challenge says that only the nonce of our last answer was out of date.
bool is_stale(const sip_t& response);

}  // namespace patchbay::sip_trunk
