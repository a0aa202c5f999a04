// The SIP passwords of users: random ones of their own, because a digest (RFC 8760) cannot be checked against
// Argon2id. The store has them sealed; other plugins get HA1 for one realm only, never the password. Main
// strand.
#pragma once

#include <patchbay/services/auth.h>

#include "context.h"

namespace patchbay::identity {

struct SipPassword {
  std::string plain;  // shown once
  std::string sealed;
};
Result<SipPassword> make_sip_password(const Host& host, const std::string& tenant, const std::string& name);

// Implements Auth::sip_digest.
Result<auth::SipCredential> sip_credential(const Context& context, const auth::SipDigest& request);

}  // namespace patchbay::identity
