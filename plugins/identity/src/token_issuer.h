// Makes the tokens. Main strand.
#pragma once

#include "context.h"

namespace patchbay::identity {

// The audience of access tokens: this server's API. Those of id_tokens are the clients.
constexpr char kAudience[] = "patchbay";

// What changes with the user's password: a keyed hash, from which the password cannot be tried.
std::string credential_proof(const Context& context, const User& user);

// iss, aud, sub, preferred_username, tenant, role, iat, exp, jti, cred.
Result<std::string> issue_access_token(const Context& context, const Tenant& tenant, const User& user);
// OpenID Connect Core 2.
Result<std::string> issue_id_token(const Context& context, const Tenant& tenant, const User& user,
                                   std::string_view client_id);

}  // namespace patchbay::identity
