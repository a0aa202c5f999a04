// Builds the header values of an INVITE from a call; no other code composes header text from untrusted
// strings. Pure functions, any thread.
#pragma once

#include <patchbay/result.h>

#include <string>
#include <string_view>

#include "stack/sip_types.h"
#include "trunks/trunk_request.h"

namespace patchbay::sip_trunk {

struct Invite {
  OutboundCall call;
  std::string uri;   // request URI
  std::string to;    // header values
  std::string from;  // with our tag, which an authenticated retry keeps
  std::string call_id;
  std::string privacy;  // header value; empty if the caller shows a number
  // A whole header line that identifies the caller to the trunk (RFC 3325 section 9); may be empty.
  std::string identity;
};

// Checks the fields. Code::invalid: a field holds a character that is not allowed in its header.
Result<Invite> make_invite(OutboundCall call);
// Returns whether the tag in From is of an INVITE of this process, and not of an earlier one.
bool is_own_tag(std::string_view tag);

// The URI that a far end behind the trunk is to call. Code::invalid: as above.
Result<std::string> refer_uri(const TrunkAccess& trunk, const std::string& number);

// The same for a call to a telephone of a user, `call.contact`.
Result<Invite> make_contact_invite(OutboundCall call);

// OPTIONS to an address of a trunk, without a time-out. Code::invalid: its host is neither name nor address.
Result<TrunkRequest> make_options(const TrunkAccess& trunk, const Target& target);

// REGISTER of the trunk's username at one of its addresses, without a time-out. `call_id` and `sequence` are
// those of all registrations there (RFC 3261 section 10.2). `expires_sec` 0 ends the registration.
Result<TrunkRequest> make_register(const TrunkAccess& trunk, const Target& target, const std::string& call_id,
                                   uint32_t sequence, int64_t expires_sec);

// Returns a quoted-string (RFC 3261 section 25.1): removes control characters, escapes quotes and
// backslashes, keeps at most kMaxDisplayNameBytes of whole UTF-8 characters. Empty for an empty name.
std::string quoted_display_name(std::string_view name);

}  // namespace patchbay::sip_trunk
