#include "token_issuer.h"

#include <patchbay/base64.h>
#include <patchbay/hex.h>

#include "crypto/digest.h"
#include "crypto/random.h"
#include "jwt.h"

namespace patchbay::identity {
namespace {

void begin_claims(JsonWriter& claims, const Context& context, const Tenant& tenant, const User& user,
                  std::string_view audience) {
  const int64_t now_sec = context.host.wall_ms() / 1000;
  claims.object().member("iss", tenant.issuer).member("aud", audience).member("sub", user.subject);
  claims.member("preferred_username", user.name).member("tenant", tenant.host).member("role", user.role);
  claims.member("iat", now_sec).member("exp", now_sec + context.settings.token_lifetime_sec);
}

}  // namespace

std::string credential_mac(const Context& context, const User& user) {
  const int64_t sessions = context.users.account(user).sessions;
  std::string state = user.fingerprint;
  if (sessions > 0) state += "\n" + std::to_string(sessions);
  return context.keys.mac(state);
}

std::string credential_hash(const Context& context, const User& user) {
  return to_base64url(credential_mac(context, user).substr(0, 16));
}

std::string credential_proof(const Context& context, const std::string& tenant, const std::string& username) {
  const User* user = context.users.enabled(tenant, username);
  return user != nullptr ? to_hex(credential_mac(context, *user)) : std::string();
}

Result<std::string> issue_access_token(const Context& context, const Tenant& tenant, const User& user,
                                       const Grant& grant) {
  PB_TRY_VALUE(const std::string id, lib::random_base62(22));
  JsonWriter claims;
  begin_claims(claims, context, tenant, user, kAudience);
  claims.member("client_id", grant.client_id).member("jti", id);
  if (!grant.family.empty()) claims.member("fam", grant.family);
  if (!grant.sid.empty()) claims.member("sid", grant.sid);
  claims.member("cred", credential_hash(context, user)).end();
  return sign_jwt(context.keys.current(), kAccessType, claims.str());
}

Result<std::string> issue_id_token(const Context& context, const Tenant& tenant, const User& user,
                                   const Grant& grant, std::string_view access_token,
                                   std::string_view nonce) {
  JsonWriter claims;
  begin_claims(claims, context, tenant, user, grant.client_id);
  claims.member("name", user.shown_name()).member("auth_time", grant.signed_in_ms / 1000);
  claims.member("at_hash", to_base64url(lib::sha256(access_token).substr(0, 16)));
  if (!nonce.empty()) claims.member("nonce", nonce);
  if (!grant.sid.empty()) claims.member("sid", grant.sid);
  claims.end();
  return sign_jwt(context.keys.current(), kIdType, claims.str());
}

}  // namespace patchbay::identity
