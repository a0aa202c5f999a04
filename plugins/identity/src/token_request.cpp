#include "token_request.h"

#include "token_issuer.h"

namespace patchbay::identity {
namespace {

http::Response with_retry_after(http::Response response, int64_t wait_sec) {
  response.headers.add("Retry-After", std::to_string(wait_sec));
  return response;
}

}  // namespace

http::Response token_error(const char* code, const char* description) {
  return http::error(400, code, description);
}

http::Response token_throttled(int64_t wait_sec) {
  return with_retry_after(http::error(429, "rate_limited", "too many failed sign-ins; try again later"),
                          wait_sec);
}

http::Response token_retry_later(const SignInChecker::Outcome& outcome) {
  if (outcome.result == SignInChecker::Result::throttled) return token_throttled(outcome.wait_sec);
  return with_retry_after(http::error(503, "temporarily_unavailable", "too many sign-ins at once; try again"),
                          outcome.wait_sec);
}

Result<http::Response> token_response(const Context& context, SignInChecker& checker,
                                      const SignInAttempt& attempt, const SignedIn& signed_in,
                                      const char* invalid) {
  const Grant& grant = signed_in.grant;
  const Tenant* tenant = context.settings.tenant(grant.tenant);
  const User* user = context.users.enabled(grant.tenant, grant.username);
  if (tenant == nullptr || user == nullptr) {
    checker.refused(attempt, "the user was removed");
    return token_error("invalid_grant", invalid);
  }
  PB_TRY_VALUE(const std::string access, issue_access_token(context, *tenant, *user, grant));
  JsonWriter body;
  body.object().member("access_token", access).member("token_type", "Bearer");
  body.member("expires_in", context.settings.token_lifetime_sec).member("scope", grant.scope);
  if (!signed_in.refresh_token.empty()) body.member("refresh_token", signed_in.refresh_token);
  if (grant.has("openid")) {
    PB_TRY_VALUE(const std::string id,
                 issue_id_token(context, *tenant, *user, grant, access, signed_in.nonce));
    body.member("id_token", id);
  }
  body.end();
  SignInAttempt named = attempt;
  named.username = user->name;
  checker.signed_in(named);
  http::Response response = http::ok(std::move(body).str());
  response.headers.add("Pragma", "no-cache");
  return response;
}

}  // namespace patchbay::identity
