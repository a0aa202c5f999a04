// POST /oidc.ashx/revoke (RFC 7009): a client ends a refresh token with its grant, or an access token. Main
// strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/services/http_routes.h>

#include "bearer_verifier.h"
#include "context.h"
#include "refresh_tokens.h"
#include "revocation.h"

namespace patchbay::identity {

class RevocationRoutes {
 public:
  RevocationRoutes(Context& context, BearerVerifier& verifier, RefreshTokens& refresh, Revocation& revocation)
      : context_(context), verifier_(verifier), refresh_(refresh), revocation_(revocation) {}

  void add_to(http::Routes& routes);

 private:
  using Reply = patchbay::Reply<http::Response>;
  struct Asked {
    std::string tenant, client_id, token;
  };
  void handle(const http::Request& request, Reply reply);
  void revoke_refresh_token(const Asked& asked, Reply reply);
  void revoke_access_token(const Asked& asked, Reply reply);

  Context& context_;
  BearerVerifier& verifier_;
  RefreshTokens& refresh_;
  Revocation& revocation_;
  Lifetime alive_;
};

}  // namespace patchbay::identity
