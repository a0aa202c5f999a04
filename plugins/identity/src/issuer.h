// Makes the tokens. Main strand.
#pragma once

#include "context.h"

namespace patchbay::identity {

// The audience of access tokens: this server's API. Those of id_tokens are the clients.
constexpr char kAudience[] = "patchbay";

// iss, aud, sub, preferred_username, tenant, role, iat, exp, jti.
Result<std::string> issue_access_token(const Context& context, const Tenant& tenant, const User& user);
// OpenID Connect Core 2.
Result<std::string> issue_id_token(const Context& context, const Tenant& tenant, const User& user,
                                   std::string_view client_id);

}  // namespace patchbay::identity
