// POST /oidc.ashx/token: the grants password and refresh_token (RFC 6749 4.3 and 6). Main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/services/http_routes.h>

#include "context.h"
#include "form.h"
#include "password_queue.h"
#include "rate/rate_limiter.h"
#include "refresh_tokens.h"
#include "sign_in_limits.h"

namespace patchbay::identity {

class TokenEndpoint {
 public:
  explicit TokenEndpoint(Context& context);

  void add_to(http::Routes& routes);

 private:
  using Reply = patchbay::Reply<http::Response>;
  struct Asked;  // who asks, and for what

  void handle(const http::Request& request, Reply reply);
  void by_password(const Asked& asked, const Form& form, Reply reply);
  void password_checked(const Asked& asked, const Result<bool>& matches, Reply reply);
  void by_refresh_token(Asked asked, const Form& form, Reply reply);
  void grant(const Asked& asked, Reply reply);
  void answer(const Asked& asked, const std::string& refresh_token, Reply reply);
  void throttle(const Asked& asked, Reply reply);
  void busy(Reply reply);
  void refuse(const Asked& asked, const char* why, Reply reply);
  int64_t wait_ms(const Asked& asked) const;
  bool may_log(const Asked& asked);

  Context& context_;
  PasswordQueue passwords_;
  RefreshTokens refresh_;
  SignInLimits limits_;
  lib::RateLimiter lines_{{0.2, 20.0, 4096}};  // of the log, by address
  const Metric signed_in_, refused_, throttled_, slowed_, busy_;
  Lifetime alive_;
};

}  // namespace patchbay::identity
