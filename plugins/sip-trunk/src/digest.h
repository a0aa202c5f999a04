// Our answer to a digest challenge of a trunk (RFC 3261 section 22, RFC 2617). sip thread.
#pragma once

#include <patchbay/result.h>

#include <string>

#include "sip_types.h"
#include "sofia.h"

namespace patchbay::sip_trunk {

// The request that is sent again with the credentials.
struct DigestRequest {
  std::string method;
  std::string uri;
  std::string body;
};

// The value of Authorization (for a 401) or Proxy-Authorization (407), for the first MD5 or MD5-sess
// challenge of `response` whose realm is the trunk's. Of qop, auth is preferred to auth-int. Code::denied
// says in one sentence why no challenge can be answered.
Result<std::string> digest_answer(const sip_t& response, const TrunkAccess& trunk,
                                  const DigestRequest& request);

// Whether the challenge says that only the nonce of our last answer was out of date.
bool is_stale(const sip_t& response);

}  // namespace patchbay::sip_trunk
