// GET and POST /oidc.ashx/authorize (RFC 6749 4.1, OpenID Connect Core 3.1.2): the authorization endpoint,
// and the form of its login page, which has a ticket. Main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/services/http_routes.h>

#include <optional>

#include "bearer_verifier.h"
#include "code_store.h"
#include "context.h"
#include "login/authorization_request.h"
#include "login/session_store.h"
#include "login/visit.h"
#include "sign_in_checker.h"

namespace patchbay::identity {

class AuthorizeRoutes {
 public:
  AuthorizeRoutes(Context& context, const BearerVerifier& verifier, SignInChecker& checker,
                  SessionStore& sessions, CodeStore& codes)
      : context_(context), verifier_(verifier), checker_(checker), sessions_(sessions), codes_(codes) {}

  void add_to(http::Routes& routes);

 private:
  using Reply = patchbay::Reply<http::Response>;

  void authorize(const Visit& visit, const Form& form, Reply reply);
  void with_session(const Visit& visit, const AuthorizationRequest& asked,
                    const std::optional<Session>& session, Reply reply);
  bool needs_password(const AuthorizationRequest& asked, const Session& session,
                      const std::string& tenant) const;
  // The form of the login page.
  void sign_in(const Visit& visit, const Form& form, Reply reply);
  void password_checked(const Visit& visit, const AuthorizationRequest& asked, const SignInAttempt& attempt,
                        const SignInChecker::Outcome& outcome, Reply reply);
  void begin_session(const Visit& visit, const AuthorizationRequest& asked, const SignInAttempt& attempt,
                     Reply reply);
  void issue_code(const Visit& visit, const AuthorizationRequest& asked, const Session& session, Reply reply);

  struct Failed {
    int64_t status = 200;
    std::string message;
    std::string username;
  };
  http::Response login_page(const Visit& visit, const AuthorizationRequest& asked,
                            const Failed& failed) const;
  http::Response fault_response(const Visit& visit, const AuthorizationFault& fault) const;
  std::string code_location(const Visit& visit, const AuthorizationRequest& asked,
                            const std::string& code) const;

  Context& context_;
  const BearerVerifier& verifier_;
  SignInChecker& checker_;
  SessionStore& sessions_;
  CodeStore& codes_;
  Lifetime alive_;
};

}  // namespace patchbay::identity
