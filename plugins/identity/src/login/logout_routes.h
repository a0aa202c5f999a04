// GET and POST /oidc.ashx/logout (OpenID Connect RP-Initiated Logout 1.0): ends the browser's session and all
// tokens that came from it. Without a valid id_token_hint it asks first, because any page can send a browser
// here. Main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/services/http_routes.h>

#include <optional>
#include <string>
#include <vector>

#include "bearer_verifier.h"
#include "context.h"
#include "login/session_store.h"
#include "login/visit.h"
#include "revocation.h"

namespace patchbay::identity {

class LogoutRoutes {
 public:
  LogoutRoutes(Context& context, const BearerVerifier& verifier, SessionStore& sessions,
               Revocation& revocation)
      : context_(context), verifier_(verifier), sessions_(sessions), revocation_(revocation) {}

  void add_to(http::Routes& routes);

 private:
  using Reply = patchbay::Reply<http::Response>;
  struct Asked {
    std::string client_id;
    std::string return_to;  // checked; "": a page says that the user is signed out
    std::string state;
    std::optional<IdClaims> hint;
    bool confirmed = false;  // on the page
  };

  void handle(const Visit& visit, const Form& form, Reply reply);
  // Error: a sentence for the user.
  Result<Asked> read(const Tenant& tenant, const Form& form) const;
  void with_session(const Visit& visit, const Asked& asked, const std::optional<Session>& session,
                    Reply reply);
  bool may_end(const Visit& visit, const Asked& asked, const std::optional<Session>& session) const;
  http::Response question(const Visit& visit, const Asked& asked, const std::string& username) const;
  http::Response done(const Visit& visit, const Asked& asked) const;

  Context& context_;
  const BearerVerifier& verifier_;
  SessionStore& sessions_;
  Revocation& revocation_;
  Lifetime alive_;
};

}  // namespace patchbay::identity
