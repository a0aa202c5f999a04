// JSON Web Tokens as we issue them, and their strict verification: nothing but ES256, no header member
// beyond alg, typ and kid, every claim checked. Pure functions, any thread.
//
// RFC 7515, 7519, 8725 (best practices), 9068 (access tokens).
#pragma once

#include <patchbay/json.h>

#include <functional>
#include <string>
#include <string_view>

#include "signing_key.h"

namespace patchbay::identity {

constexpr size_t kLongestToken = 4096;
// RFC 9068 2.1: what keeps an id_token from being taken for an access token.
constexpr char kAccessType[] = "at+jwt";
constexpr char kIdType[] = "JWT";

// How far the clocks of two nodes may be apart: for nbf and iat only. An expired token is expired.
constexpr int64_t kLeewaySec = 60;

// The payload is JSON.
Result<std::string> sign_jwt(const SigningKey& key, std::string_view type, std::string_view payload);

struct AccessClaims {
  std::string issuer;
  std::string subject;
  std::string username;
  std::string tenant;
  std::string role;
  std::string proof;  // of the credential the user signed in with; "" when the token says nothing of it
  int64_t expires_sec = 0;
};

struct JwtRules {
  const KeyRing& keys;
  // The host's parser: it refuses duplicate names and excessive depth.
  std::function<Result<Json>(std::string_view)> parse;
  // Who must have issued the tokens of a tenant; "" when there is no such tenant.
  std::function<std::string(std::string_view tenant)> issuer_of;
  std::string audience;
  int64_t now_sec = 0;
};

// Error: Code::denied, and why, for the log.
Result<AccessClaims> verify_access_token(std::string_view token, const JwtRules& rules);

}  // namespace patchbay::identity
