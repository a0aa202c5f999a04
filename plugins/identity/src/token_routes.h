// POST /oidc.ashx/token: the grants password and refresh_token (RFC 6749 4.3 and 6). Main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/services/http_routes.h>

#include "context.h"
#include "form.h"
#include "identity_limits.h"
#include "password_queue.h"
#include "rate/rate_limiter.h"
#include "refresh_tokens.h"
#include "sign_in_limits.h"

namespace patchbay::identity {

class TokenRoutes {
 public:
  TokenRoutes(Context& context, PasswordQueue& passwords);

  void add_to(http::Routes& routes);

 private:
  using Reply = patchbay::Reply<http::Response>;
  struct SignIn;

  void handle(const http::Request& request, Reply reply);
  void grant_by_password(const SignIn& sign_in, const Form& form, Reply reply);
  void password_checked(const SignIn& sign_in, const Result<bool>& matches, Reply reply);
  void grant_by_refresh_token(SignIn sign_in, const Form& form, Reply reply);
  void grant(const SignIn& sign_in, Reply reply);
  void answer(const SignIn& sign_in, const std::string& refresh_token, Reply reply);
  void throttle(const SignIn& sign_in, Reply reply);
  void busy(Reply reply);
  void refuse(const SignIn& sign_in, const char* why, Reply reply);
  int64_t wait_ms(const SignIn& sign_in) const;
  bool may_log(const SignIn& sign_in);

  Context& context_;
  PasswordQueue& passwords_;
  RefreshTokens refresh_;
  SignInLimits limits_;
  // By address.
  lib::RateLimiter log_lines_{{kRefusalLinesPerSec, kMaxRefusalLines, kMaxRefusalLineAddresses}};
  const Metric signed_in_, refused_, throttled_, slowed_, busy_;
  Lifetime alive_;
};

}  // namespace patchbay::identity
