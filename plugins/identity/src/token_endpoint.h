// POST /oidc.ashx/token: the grants password and refresh_token (RFC 6749 4.3 and 6). Main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/services/http_routes.h>

#include "context.h"
#include "form.h"
#include "password_queue.h"
#include "rate/rate_limiter.h"
#include "refresh_tokens.h"

namespace patchbay::identity {

class TokenEndpoint {
 public:
  explicit TokenEndpoint(Context& context) : context_(context), passwords_(context.host), refresh_(context) {}

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
  void refuse(const Asked& asked, const char* why, Reply reply);
  // 0 when the account may be tried now.
  int64_t wait_ms(const std::string& key) const { return failures_.wait_ms(key, context_.host.mono_ns()); }

  Context& context_;
  PasswordQueue passwords_;
  RefreshTokens refresh_;
  // Wrong passwords by tenant, account and address; a right one clears the account.
  lib::RateLimiter failures_{{1.0 / 60, 10.0, 65'536}};
  Lifetime alive_;
};

}  // namespace patchbay::identity
