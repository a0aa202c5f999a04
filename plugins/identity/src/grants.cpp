#include "grants.h"

#include <patchbay/random_id.h>

namespace patchbay::identity {
namespace {

constexpr char kWrongPassword[] = "wrong user name or password";
constexpr char kInvalidRefreshToken[] = "the refresh token is not valid";
constexpr char kInvalidCode[] = "the code is not valid";

}  // namespace

void PasswordGrant::answer(TokenRequest request, TokenReply reply) {
  const std::string password = request.form["password"];
  if (request.attempt.username.empty() || password.empty())
    return reply(token_error("invalid_request", "username and password are needed"));
  const SignInAttempt attempt = request.attempt;
  checker_.check_password(attempt, password,
                          alive_.bind([this, request = std::move(request), reply = std::move(reply)](
                                          const SignInChecker::Outcome& outcome) mutable {
                            if (outcome.result == SignInChecker::Result::ok)
                              return issue(request, std::move(reply));
                            if (outcome.result == SignInChecker::Result::refused)
                              return reply(token_error("invalid_grant", kWrongPassword));
                            reply(token_retry_later(outcome));
                          }));
}

void PasswordGrant::issue(const TokenRequest& request, TokenReply reply) {
  SignedIn signed_in;
  signed_in.grant = {request.tenant,
                     request.attempt.username,
                     request.client_id,
                     supported_scopes(request.form["scope"]),
                     {},
                     {},
                     context_.host.wall_ms()};
  if (!signed_in.grant.has("offline_access"))
    return reply(token_response(context_, checker_, request.attempt, signed_in, kWrongPassword));
  auto family = random_id({}, 32);
  if (!family) return reply(family.error());
  signed_in.grant.family = *std::move(family);
  const Grant grant = signed_in.grant;
  refresh_.issue(grant, alive_.bind([this, attempt = request.attempt, signed_in = std::move(signed_in),
                                     reply = std::move(reply)](const Result<std::string>& token) mutable {
    if (!token) return reply(token.error());
    signed_in.refresh_token = *token;
    reply(token_response(context_, checker_, attempt, signed_in, kWrongPassword));
  }));
}

void RefreshGrant::answer(TokenRequest request, TokenReply reply) {
  const std::string& token = request.form["refresh_token"];
  if (token.empty()) return reply(token_error("invalid_request", "refresh_token is missing"));
  if (const int64_t wait_sec = checker_.throttled_sec(request.attempt); wait_sec > 0)
    return reply(token_throttled(wait_sec));
  refresh_.rotate(token, request.tenant, request.client_id,
                  alive_.bind([this, attempt = request.attempt,
                               reply = std::move(reply)](const Result<Rotated>& rotated) mutable {
                    if (!rotated && rotated.error().code != Code::denied) return reply(rotated.error());
                    if (!rotated) {
                      checker_.refused_token(attempt, rotated.error().text);
                      return reply(token_error("invalid_grant", kInvalidRefreshToken));
                    }
                    const SignedIn signed_in{rotated->grant, rotated->token, {}};
                    reply(token_response(context_, checker_, attempt, signed_in, kInvalidRefreshToken));
                  }));
}

void CodeGrant::answer(TokenRequest request, TokenReply reply) {
  const Form& form = request.form;
  for (const char* name : {"code", "redirect_uri", "code_verifier"})
    if (form[name].empty())
      return reply(token_error("invalid_request", (std::string(name) + " is missing").c_str()));
  if (const int64_t wait_sec = checker_.throttled_sec(request.attempt); wait_sec > 0)
    return reply(token_throttled(wait_sec));
  codes_.redeem(
      {form["code"], request.tenant, request.client_id, form["redirect_uri"], form["code_verifier"]},
      alive_.bind([this, attempt = request.attempt,
                   reply = std::move(reply)](const Result<CodeStore::Redeemed>& redeemed) mutable {
        if (!redeemed && redeemed.error().code != Code::denied) return reply(redeemed.error());
        if (!redeemed) {
          checker_.refused_token(attempt, redeemed.error().text);
          return reply(token_error("invalid_grant", kInvalidCode));
        }
        const SignedIn signed_in{redeemed->grant, redeemed->refresh_token, redeemed->nonce};
        reply(token_response(context_, checker_, attempt, signed_in, kInvalidCode));
      }));
}

}  // namespace patchbay::identity
