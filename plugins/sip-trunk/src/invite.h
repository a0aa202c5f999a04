// An outbound call as header values: the one place where strings of a request are put together. Pure, any
// thread.
#pragma once

#include <patchbay/result.h>

#include <string>
#include <string_view>

#include "sip_types.h"

namespace patchbay::sip_trunk {

struct Invite {
  OutboundCall call;
  std::string uri;   // request URI
  std::string to;    // header values
  std::string from;  // with a tag of our own, which stays over an authenticated retry
  std::string call_id;
  std::string privacy;  // header value; empty for a caller who shows a number
  // A whole header line: who the anonymous caller is, for the trunk only (RFC 3325); may be empty.
  std::string preferred_identity;
};

// Code::invalid names the field that could break out of its place.
Result<Invite> make_invite(OutboundCall call);

// A quoted-string (RFC 3261 section 25.1) of what can be shown: control characters are removed, quotes and
// backslashes escaped, at most 64 bytes kept, never a part of a UTF-8 character. Empty for an empty name.
std::string quoted_display_name(std::string_view name);

}  // namespace patchbay::sip_trunk
