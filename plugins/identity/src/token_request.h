// A request to the token endpoint, after its client was checked, and the responses that grants share. Main
// strand.
#pragma once

#include <patchbay/services/http.h>

#include <string>

#include "context.h"
#include "form.h"
#include "grant.h"
#include "sign_in_checker.h"

namespace patchbay::identity {

struct TokenRequest {
  std::string tenant;
  std::string client_id;
  Form form;
  SignInAttempt attempt;
};

// What a grant has made.
struct SignedIn {
  Grant grant;
  std::string refresh_token;  // "": none
  std::string nonce;          // of the authorization request; "": none
};

http::Response token_error(const char* code, const char* description);
// For SignInChecker::Result::throttled and busy.
http::Response token_retry_later(const SignInChecker::Outcome& outcome);
http::Response token_throttled(int64_t wait_sec);

// The tokens of RFC 6749 5.1, once the sign-in is counted; `invalid` if the user was removed meanwhile.
Result<http::Response> token_response(const Context& context, SignInChecker& checker,
                                      const SignInAttempt& attempt, const SignedIn& signed_in,
                                      const char* invalid);

}  // namespace patchbay::identity
