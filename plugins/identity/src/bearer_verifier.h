// Implements patchbay.auth: verifies a bearer, a token or an API key, and returns its principal. Main strand.
#pragma once

#include <patchbay/services/auth.h>

#include <string>
#include <unordered_map>

#include "api_key_store.h"
#include "context.h"
#include "crypto/recent_digests.h"
#include "jwt.h"

namespace patchbay::identity {

class BearerVerifier {
 public:
  using Done = Function<void(Result<auth::Principal>)>;
  BearerVerifier(Context& context, ApiKeyStore& keys) : context_(context), keys_(keys) {}

  void verify(const auth::Verify& request, Done done);
  // The claims of a valid access token. Code::denied: it is not valid, or not valid any more.
  Result<AccessClaims> access_claims(const std::string& token);
  // The claims of an id_token that a client sends back.
  Result<IdClaims> id_claims(const std::string& token) const;

 private:
  Result<auth::Principal> verify_token(const std::string& token);
  JwtRules rules() const;
  Result<auth::Principal> principal_of(const AccessClaims& claims) const;
  Result<auth::Principal> principal_of(const ApiKey& key) const;

  Context& context_;
  ApiKeyStore& keys_;
  struct Verified {
    AccessClaims claims;
    auth::Principal principal;
    uint64_t generation = 0;  // of the users that the principal follows from
  };
  lib::RecentDigests digests_;
  std::unordered_map<std::string, Verified> cache_;  // by SHA-256; the user is checked anew when users change
};

}  // namespace patchbay::identity
