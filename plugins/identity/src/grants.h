// The grants of the token endpoint: password (RFC 6749 4.3), refresh_token (6) and authorization_code (4.1.3,
// with PKCE). Each answers a request whose client is configured. Main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/service.h>

#include "code_store.h"
#include "context.h"
#include "refresh_tokens.h"
#include "sign_in_checker.h"
#include "token_request.h"

namespace patchbay::identity {

using TokenReply = patchbay::Reply<http::Response>;

class PasswordGrant {
 public:
  PasswordGrant(Context& context, SignInChecker& checker, RefreshTokens& refresh)
      : context_(context), checker_(checker), refresh_(refresh) {}
  void answer(TokenRequest request, TokenReply reply);

 private:
  void issue(const TokenRequest& request, TokenReply reply);

  Context& context_;
  SignInChecker& checker_;
  RefreshTokens& refresh_;
  Lifetime alive_;
};

class RefreshGrant {
 public:
  RefreshGrant(Context& context, SignInChecker& checker, RefreshTokens& refresh)
      : context_(context), checker_(checker), refresh_(refresh) {}
  void answer(TokenRequest request, TokenReply reply);

 private:
  Context& context_;
  SignInChecker& checker_;
  RefreshTokens& refresh_;
  Lifetime alive_;
};

class CodeGrant {
 public:
  CodeGrant(Context& context, SignInChecker& checker, CodeStore& codes)
      : context_(context), checker_(checker), codes_(codes) {}
  void answer(TokenRequest request, TokenReply reply);

 private:
  Context& context_;
  SignInChecker& checker_;
  CodeStore& codes_;
  Lifetime alive_;
};

}  // namespace patchbay::identity
