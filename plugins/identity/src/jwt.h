// Signs JSON Web Tokens, and verifies them strictly: ES256 only, no header members but alg, typ and kid,
// every claim checked. Pure functions; any thread.
//
// RFC 7515, 7519, 8725 (best practices), 9068 (access tokens).
#pragma once

#include <patchbay/json.h>

#include <functional>
#include <string>
#include <string_view>

#include "signing_key.h"

namespace patchbay::identity {

// The type distinguishes an access token from an id_token (RFC 9068 2.1).
constexpr char kAccessType[] = "at+jwt";
constexpr char kIdType[] = "JWT";

// `payload`: JSON.
Result<std::string> sign_jwt(const SigningKey& key, std::string_view type, std::string_view payload);

struct AccessClaims {
  std::string issuer;
  std::string subject;
  std::string username;
  std::string tenant;
  std::string role;
  std::string id;               // "jti"
  std::string credential_hash;  // of the password that the user signed in with; "": absent
  // "": absent, as in tokens of older versions.
  std::string client_id;
  std::string family;  // "fam": of the grant
  std::string sid;     // of the session at the login page
  int64_t expires_sec = 0;
};

struct IdClaims {
  std::string issuer;
  std::string subject;
  std::string tenant;
  std::string audience;  // the client
  std::string sid;       // "": without a session
};

struct JwtRules {
  const KeyRing& keys;
  // The host's parser, which refuses duplicate names and excessive depth.
  std::function<Result<Json>(std::string_view)> parse;
  // Returns the required issuer of a tenant's tokens; "": no such tenant.
  std::function<std::string(std::string_view tenant)> issuer_of;
  std::string audience;
  int64_t now_sec = 0;
};

// Code::denied: the token is invalid; the text has the reason, for the log.
Result<AccessClaims> verify_access_token(std::string_view token, const JwtRules& rules);

// Verifies an id_token that a client sends back to name its user (id_token_hint). An expired one is valid,
// because clients keep it longer (OpenID Connect RP-Initiated Logout 1.0, 2).
Result<IdClaims> verify_id_token_hint(std::string_view token, const JwtRules& rules);

}  // namespace patchbay::identity
