#include "jwt.h"

#include <patchbay/base64.h>

#include <initializer_list>
#include <utility>

#include "identity_limits.h"

namespace patchbay::identity {
namespace {

constexpr int64_t kMaxTimeSec = 253'402'300'800;  // the year 10000

Error denied(std::string why) { return {Code::denied, std::move(why)}; }

struct Parts {
  std::string header, payload, signature;  // decoded
  std::string_view signed_text;            // header and payload as received
};

Result<Parts> split(std::string_view token) {
  if (token.size() > kMaxTokenBytes) return denied("longer than any token of this server");
  const size_t first = token.find('.');
  const size_t second = first == std::string_view::npos ? first : token.find('.', first + 1);
  if (second == std::string_view::npos || token.find('.', second + 1) != std::string_view::npos)
    return denied("not a token of three parts");
  auto header = from_base64url(token.substr(0, first));
  auto payload = from_base64url(token.substr(first + 1, second - first - 1));
  auto signature = from_base64url(token.substr(second + 1));
  if (!header || !payload || !signature) return denied("not base64url");
  return Parts{*std::move(header), *std::move(payload), *std::move(signature), token.substr(0, second)};
}

// Returns the key that the header names. Refuses every other header member (jwk, jku, x5c, x5u, crit, b64,
// zip).
Result<const SigningKey*> key_of(std::string_view header, std::string_view type, const JwtRules& rules) {
  const auto parsed = rules.parse(header);
  if (!parsed || !parsed->root().is_object()) return denied("the header is not a JSON object");
  const JsonView root = parsed->root();
  for (size_t i = 0; i < root.size(); ++i) {
    const std::string_view name = root.key(i);
    if (name != "alg" && name != "typ" && name != "kid") return denied("an unknown header member");
  }
  if (root["alg"].text() != "ES256") return denied("the algorithm is not ES256");
  if (root["typ"].text() != type) return denied("a token of another type");
  const SigningKey* key = rules.keys.find(root["kid"].text());
  if (key == nullptr) return denied("signed with an unknown key");
  return key;
}

Result<int64_t> seconds(JsonView claims, std::string_view name) {
  const JsonView value = claims[name];
  const int64_t when = value.integer(-1);
  if (when < 0 || when > kMaxTimeSec) return denied(std::string(name) + " is missing or not a time");
  return when;
}

Status check_times(JsonView claims, int64_t now_sec) {
  PB_TRY_VALUE(const int64_t expires, seconds(claims, "exp"));
  PB_TRY_VALUE(const int64_t issued, seconds(claims, "iat"));
  if (now_sec >= expires) return denied("expired");
  if (issued > now_sec + kClockLeewaySec) return denied("issued in the future");
  if (!claims["nbf"]) return {};
  PB_TRY_VALUE(const int64_t from, seconds(claims, "nbf"));
  if (from > now_sec + kClockLeewaySec) return denied("not valid yet");
  return {};
}

// Returns the payload of a token with a valid signature.
Result<Json> verified_payload(std::string_view token, std::string_view type, const JwtRules& rules) {
  PB_TRY_VALUE(const Parts parts, split(token));
  PB_TRY_VALUE(const SigningKey* key, key_of(parts.header, type, rules));
  if (!key->verify(parts.signed_text, parts.signature)) return denied("the signature is wrong");
  auto parsed = rules.parse(parts.payload);
  if (!parsed || !parsed->root().is_object()) return denied("the payload is not a JSON object");
  return parsed;
}

// Reads claims that must be there.
Status read_texts(JsonView claims, std::initializer_list<std::pair<const char*, std::string*>> texts) {
  for (const auto& [name, to] : texts) {
    *to = claims[name].text();
    if (to->empty()) return denied(std::string(name) + " is missing");
  }
  return {};
}

}  // namespace

Result<std::string> sign_jwt(const SigningKey& key, std::string_view type, std::string_view payload) {
  JsonWriter header;
  header.object().member("alg", "ES256").member("typ", type).member("kid", key.kid()).end();
  std::string token = to_base64url(header.str()) + "." + to_base64url(payload);
  PB_TRY_VALUE(const std::string signature, key.sign(token));
  return token + "." + to_base64url(signature);
}

Result<AccessClaims> verify_access_token(std::string_view token, const JwtRules& rules) {
  PB_TRY_VALUE(const Json payload, verified_payload(token, kAccessType, rules));
  const JsonView claims = payload.root();
  AccessClaims result;
  PB_TRY(read_texts(claims, {{"iss", &result.issuer},
                             {"sub", &result.subject},
                             {"preferred_username", &result.username},
                             {"tenant", &result.tenant},
                             {"role", &result.role},
                             {"jti", &result.id}}));
  if (result.issuer != rules.issuer_of(result.tenant)) return denied("another issuer");
  if (claims["aud"].text() != rules.audience) return denied("for another audience");
  PB_TRY(check_times(claims, rules.now_sec));
  result.credential_hash = claims["cred"].text();
  result.client_id = claims["client_id"].text();
  result.family = claims["fam"].text();
  result.sid = claims["sid"].text();
  result.expires_sec = claims["exp"].integer();
  return result;
}

Result<IdClaims> verify_id_token_hint(std::string_view token, const JwtRules& rules) {
  PB_TRY_VALUE(const Json payload, verified_payload(token, kIdType, rules));
  const JsonView claims = payload.root();
  IdClaims result;
  PB_TRY(read_texts(claims, {{"iss", &result.issuer},
                             {"sub", &result.subject},
                             {"tenant", &result.tenant},
                             {"aud", &result.audience}}));
  if (result.issuer != rules.issuer_of(result.tenant)) return denied("another issuer");
  result.sid = claims["sid"].text();
  return result;
}

}  // namespace patchbay::identity
