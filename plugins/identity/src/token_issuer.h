// Issues access tokens and id_tokens. Main strand.
#pragma once

#include "context.h"

namespace patchbay::identity {

// The audience of access tokens: this server's API. The audience of an id_token is its client.
constexpr char kAudience[] = "patchbay";

// Returns a keyed hash of the user's password and session number, 32 bytes. It changes with either, and
// without the key it does not help to guess the password.
std::string credential_mac(const Context& context, const User& user);
// The same as text of 22 characters, for the claim "cred".
std::string credential_hash(const Context& context, const User& user);

// Claims: iss, aud, sub, preferred_username, tenant, role, iat, exp, jti, cred.
Result<std::string> issue_access_token(const Context& context, const Tenant& tenant, const User& user);
// OpenID Connect Core 2.
Result<std::string> issue_id_token(const Context& context, const Tenant& tenant, const User& user,
                                   std::string_view client_id);

}  // namespace patchbay::identity
