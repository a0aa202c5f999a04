#include "authorizer.h"

#include <strings.h>

#include <algorithm>

#include "rate/address_key.h"
#include "signature.h"

namespace patchbay::whitelist {
namespace {

const Refusal kBadSignature{401, "bad signature", 0};

// The token of "Bearer <token>"; "" for anything else.
std::string bearer_of(std::string_view authorization) {
  constexpr std::string_view kScheme = "Bearer ";
  if (authorization.size() <= kScheme.size() ||
      strncasecmp(authorization.data(), kScheme.data(), kScheme.size()) != 0)
    return {};
  authorization.remove_prefix(kScheme.size());
  while (!authorization.empty() && authorization.front() == ' ') authorization.remove_prefix(1);
  return std::string(authorization);
}

Refusal judge(const auth::Principal& principal, std::string_view tenant) {
  if (principal.role != "admin") return {403, "the bearer is not an admin", 0};
  if (principal.tenant != tenant && !principal.is_super)
    return {403, "the bearer belongs to another tenant", 0};
  return {};
}

}  // namespace

void Admission::admit(const Credentials& who, Done done) {
  const std::string* secret = settings_.secret(who.tenant);
  if (secret == nullptr) {
    return done({503,
                 "the whitelist is disabled: WebPhone.AdminSharedSecret of this host is not configured "
                 "(at least 24 characters)",
                 0},
                {});
  }
  // A bearer decides. An Authorization of another scheme, which a proxy may have added, does not: the
  // signature may still be right.
  if (const std::string bearer = bearer_of(who.authorization); !bearer.empty())
    return admit_bearer(who, bearer, std::move(done));
  admit_signature(who, *secret, done);
}

void Admission::admit_bearer(const Credentials& who, const std::string& bearer, Done done) {
  auth_.call(auth::Auth::verify, {bearer, who.remote},
             [tenant = who.tenant, done = std::move(done)](const Result<auth::Principal>& principal) {
               if (principal) return done(judge(*principal, tenant), principal->username);
               if (principal.error().code == Code::denied) return done(kBadSignature, {});
               done({503, "bearers cannot be checked now", 0}, {});
             });
}

void Admission::admit_signature(const Credentials& who, const std::string& secret, const Done& done) {
  if (const int64_t wait = wait_ms(who); wait > 0)
    return done({429, "too many wrong signatures", wait / 1000 + 1}, {});
  if (signature_matches(who.signature, secret, who.canonical)) return done({}, "shared secret");
  const int64_t now_ns = host_->mono_ns();
  wrong_.take(who.tenant + "\n" + lib::address_key(who.remote), now_ns);
  wrong_of_site_.take(who.tenant + "\n" + lib::site_key(who.remote), now_ns);
  done(kBadSignature, {});
}

int64_t Admission::wait_ms(const Credentials& who) const {
  const int64_t now_ns = host_->mono_ns();
  return std::max(wrong_.wait_ms(who.tenant + "\n" + lib::address_key(who.remote), now_ns),
                  wrong_of_site_.wait_ms(who.tenant + "\n" + lib::site_key(who.remote), now_ns));
}

}  // namespace patchbay::whitelist
