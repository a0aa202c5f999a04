#include "authorizer.h"

#include <strings.h>

#include <algorithm>

#include "rate/address_key.h"
#include "signature.h"

namespace patchbay::whitelist {
namespace {

const Refusal kBadSignature{401, "bad signature", 0};

// Returns the token of "Bearer <token>"; "" for anything else.
std::string bearer_of(std::string_view authorization) {
  constexpr std::string_view kScheme = "Bearer ";
  if (authorization.size() <= kScheme.size() ||
      strncasecmp(authorization.data(), kScheme.data(), kScheme.size()) != 0)
    return {};
  authorization.remove_prefix(kScheme.size());
  while (!authorization.empty() && authorization.front() == ' ') authorization.remove_prefix(1);
  return std::string(authorization);
}

Refusal check_role(const auth::Principal& principal, std::string_view tenant) {
  if (principal.role != "admin") return {403, "the bearer is not an admin", 0};
  if (principal.tenant != tenant && !principal.is_super)
    return {403, "the bearer belongs to another tenant", 0};
  return {};
}

}  // namespace

void Authorizer::authorize(const Credentials& credentials, Done done) {
  const std::string* secret = settings_.secret(credentials.tenant);
  if (secret == nullptr) {
    return done({503,
                 "the whitelist is disabled: WebPhone.AdminSharedSecret of this host is not configured "
                 "(at least 24 characters)",
                 0},
                {});
  }
  // A bearer takes precedence. Ignores other schemes, because a proxy may add such a header to a signed
  // request.
  if (const std::string bearer = bearer_of(credentials.authorization); !bearer.empty())
    return authorize_bearer(credentials, bearer, std::move(done));
  authorize_signature(credentials, *secret, done);
}

void Authorizer::authorize_bearer(const Credentials& credentials, const std::string& bearer, Done done) {
  auth_.call(auth::Auth::verify, {bearer, credentials.remote},
             [tenant = credentials.tenant, done = std::move(done)](const Result<auth::Principal>& principal) {
               if (principal) return done(check_role(*principal, tenant), principal->username);
               if (principal.error().code == Code::denied) return done(kBadSignature, {});
               done({503, "bearers cannot be checked now", 0}, {});
             });
}

void Authorizer::authorize_signature(const Credentials& credentials, const std::string& secret,
                                     const Done& done) {
  if (const int64_t wait = wait_ms(credentials); wait > 0)
    return done({429, "too many wrong signatures", wait / 1000 + 1}, {});
  if (signature_matches(credentials.signature, secret, credentials.canonical))
    return done({}, "shared secret");
  const int64_t now_ns = host_->mono_ns();
  wrong_.take(credentials.tenant + "\n" + lib::address_key(credentials.remote), now_ns);
  wrong_by_site_.take(credentials.tenant + "\n" + lib::site_key(credentials.remote), now_ns);
  done(kBadSignature, {});
}

int64_t Authorizer::wait_ms(const Credentials& credentials) const {
  const int64_t now_ns = host_->mono_ns();
  return std::max(
      wrong_.wait_ms(credentials.tenant + "\n" + lib::address_key(credentials.remote), now_ns),
      wrong_by_site_.wait_ms(credentials.tenant + "\n" + lib::site_key(credentials.remote), now_ns));
}

}  // namespace patchbay::whitelist
