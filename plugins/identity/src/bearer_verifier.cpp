#include "bearer_verifier.h"

#include "crypto/digest.h"
#include "identity_limits.h"
#include "token_issuer.h"

namespace patchbay::identity {

void BearerVerifier::verify(const auth::Verify& request, Done done) {
  if (!looks_like_api_key(request.bearer)) return done(verify_token(request.bearer));
  keys_.verify(request.bearer, [this, done = std::move(done)](const Result<ApiKey>& key) {
    if (!key) return done(key.error());
    done(principal_of(*key));
  });
}

Result<auth::Principal> BearerVerifier::verify_token(const std::string& token) {
  if (token.size() > kMaxTokenBytes) return {Code::denied, "longer than any token of this server"};
  const std::string& hash = digests_.sha256_of(token);
  if (const auto cached = cache_.find(hash); cached != cache_.end()) {
    Verified& known = cached->second;
    if (context_.host.wall_ms() / 1000 >= known.claims.expires_sec) {
      cache_.erase(cached);
      return {Code::denied, "expired"};
    }
    if (known.generation != context_.generation) {
      PB_TRY_VALUE(known.principal, principal_of(known.claims));
      known.generation = context_.generation;
    }
    return known.principal;
  }
  PB_TRY_VALUE(AccessClaims claims, verify_access_token(token, rules()));
  PB_TRY_VALUE(auth::Principal principal, principal_of(claims));
  if (cache_.size() >= kMaxCachedTokens) cache_.clear();
  cache_.emplace(hash, Verified{std::move(claims), principal, context_.generation});
  return principal;
}

Result<AccessClaims> BearerVerifier::access_claims(const std::string& token) {
  PB_TRY_VALUE(AccessClaims claims, verify_access_token(token, rules()));
  PB_TRY(principal_of(claims));
  return claims;
}

Result<IdClaims> BearerVerifier::id_claims(const std::string& token) const {
  return verify_id_token_hint(token, rules());
}

JwtRules BearerVerifier::rules() const {
  JwtRules rules{context_.keys, {}, {}, kAudience, context_.host.wall_ms() / 1000};
  rules.parse = [this](std::string_view text) { return context_.host.parse_json(text); };
  rules.issuer_of = [this](std::string_view host) {
    const Tenant* tenant = context_.settings.tenant(host);
    return tenant != nullptr ? tenant->issuer : std::string();
  };
  return rules;
}

// Uses the present role of the user, not that of the token. A token is invalid once the password has changed,
// or once its user has lost the role of admin.
Result<auth::Principal> BearerVerifier::principal_of(const AccessClaims& claims) const {
  const Tenant* tenant = context_.settings.tenant(claims.tenant);
  const User* user = context_.users.enabled(claims.tenant, claims.username);
  if (tenant == nullptr || user == nullptr || user->subject != claims.subject)
    return {Code::denied, "the user was removed or disabled"};
  for (const std::string* id : {&claims.id, &claims.family, &claims.sid})
    if (context_.revoked.contains(*id)) return {Code::denied, "revoked"};
  if (tenant->issuer != claims.issuer) return {Code::denied, "another issuer"};
  if (!lib::equal_constant_time(credential_hash(context_, *user), claims.credential_hash))
    return {Code::denied, "the user has changed the password, or the sessions were ended"};
  if (claims.role == "admin" && user->role != "admin")
    return {Code::denied, "the user is no longer an admin"};
  auth::Principal principal;
  principal.subject = user->subject;
  principal.username = user->name;
  principal.tenant = tenant->host;
  principal.role = user->role;
  principal.is_super = tenant->primary && user->role == "admin";
  principal.expires_ms = claims.expires_sec * 1000;
  return principal;
}

Result<auth::Principal> BearerVerifier::principal_of(const ApiKey& key) const {
  const Tenant* tenant = context_.settings.tenant(key.tenant);
  if (tenant == nullptr) return {Code::denied, "the tenant of the API key was removed"};
  auth::Principal principal;
  principal.subject = key.id;
  principal.username = "key:" + key.name;
  principal.tenant = tenant->host;
  principal.role = "admin";
  principal.is_key = true;
  principal.is_super = tenant->primary;
  return principal;
}

}  // namespace patchbay::identity
