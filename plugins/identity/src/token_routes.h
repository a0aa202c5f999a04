// POST /oidc.ashx/token (RFC 6749 3.2): checks the client and passes the request to its grant. Main strand.
#pragma once

#include <patchbay/services/http_routes.h>

#include "context.h"
#include "grants.h"

namespace patchbay::identity {

class TokenRoutes {
 public:
  TokenRoutes(Context& context, SignInChecker& checker, RefreshTokens& refresh, CodeStore& codes);

  void add_to(http::Routes& routes);

 private:
  void handle(const http::Request& request, TokenReply reply);

  Context& context_;
  PasswordGrant password_;
  RefreshGrant refresh_token_;
  CodeGrant code_;
};

}  // namespace patchbay::identity
