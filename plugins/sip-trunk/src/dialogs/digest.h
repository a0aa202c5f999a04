// Answers a trunk's digest challenge (RFC 3261 section 22, RFC 7616, RFC 8760). sip thread.
#pragma once

#include <patchbay/result.h>

#include <string>

#include "stack/sip_types.h"
#include "stack/sofia.h"

namespace patchbay::sip_trunk {

// The request to send again with credentials.
struct DigestRequest {
  std::string method;
  std::string uri;
  std::string body;
};

// Returns the value of Authorization (for 401) or Proxy-Authorization (for 407) that answers the first
// challenge of `response` with a known algorithm for the trunk's realm: MD5, SHA-256, SHA-512-256, or their
// -sess. Prefers qop auth to auth-int. Code::denied: no challenge can be answered; the text says why.
Result<std::string> digest_answer(const sip_t& response, const TrunkAccess& trunk,
                                  const DigestRequest& request);

// Returns whether the challenge only rejects the nonce of our last answer as stale.
bool is_stale(const sip_t& response);

}  // namespace patchbay::sip_trunk
