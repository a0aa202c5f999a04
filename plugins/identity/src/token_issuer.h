// Issues access tokens and id_tokens. Main strand.
#pragma once

#include "context.h"
#include "grant.h"

namespace patchbay::identity {

// The audience of access tokens: this server's API. The audience of an id_token is its client.
constexpr char kAudience[] = "patchbay";

// Returns a keyed hash of the user's password and session number, 32 bytes. It changes with either, and
// without the key it does not help to guess the password.
std::string credential_mac(const Context& context, const User& user);
// The same as text of 22 characters, for the claim "cred".
std::string credential_hash(const Context& context, const User& user);
// The same as hexadecimal text, for the column "proof" of what ends with the user's tokens; "": there is no
// such user, or the user is disabled.
std::string credential_proof(const Context& context, const std::string& tenant, const std::string& username);

// Claims: iss, aud, sub, preferred_username, tenant, role, client_id, iat, exp, jti, cred, and fam and sid of
// the grant, which revocation refers to.
Result<std::string> issue_access_token(const Context& context, const Tenant& tenant, const User& user,
                                       const Grant& grant);
// OpenID Connect Core 2. `nonce`: of the authorization request; "": none.
Result<std::string> issue_id_token(const Context& context, const Tenant& tenant, const User& user,
                                   const Grant& grant, std::string_view access_token, std::string_view nonce);

}  // namespace patchbay::identity
