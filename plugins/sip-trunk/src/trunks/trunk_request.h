// TrunkRequest: a request outside of all dialogs to an address of a trunk (OPTIONS, REGISTER), and its
// answer.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "stack/sip_types.h"

namespace patchbay::sip_trunk {

struct TrunkRequest {
  std::string method;
  TrunkAccess trunk;  // the credentials for a challenge
  Target target{{}};
  std::string uri;           // request URI
  std::string from;          // header value, with a tag
  std::string to;            // header value
  std::string call_id;       // header value
  uint32_t sequence = 1;     // CSeq of the first message
  std::string contact_user;  // user of our Contact; empty: no Contact
  int64_t expires_sec = -1;  // Expires; -1: none
  uint32_t timeout_ms = 0;   // until the final answer
};

struct TrunkAnswer {
  int status = 0;            // 0: there was none
  std::string text{};        // its reason phrase, or why there was none; at most 200 bytes
  uint32_t sequence = 0;     // the next CSeq
  int64_t expires_sec = -1;  // granted to our Contact, or Expires; 0: it lists others only; -1: not said
  int64_t min_expires_sec = -1;
};

// Called on the sip thread.
using OnTrunkAnswer = std::function<void(const TrunkAnswer&)>;

}  // namespace patchbay::sip_trunk
