// patchbay.auth: who a bearer is. Main strand.
#pragma once

#include <patchbay/services/auth.h>

#include <string>
#include <unordered_map>

#include "api_key_store.h"
#include "context.h"
#include "jwt.h"

namespace patchbay::identity {

class Verifier {
 public:
  using Done = Function<void(Result<auth::Principal>)>;
  Verifier(Context& context, ApiKeys& keys) : context_(context), keys_(keys) {}

  void verify(const auth::Verify& request, Done done);

 private:
  // Checking a signature costs 40 us; what was found good is remembered by SHA-256 of the token. Whether the
  // user still may is asked anew each time.
  static constexpr size_t kMostCached = 10'000;
  Result<auth::Principal> verify_token(const std::string& token);
  Result<AccessClaims> read_token(const std::string& token);
  Result<auth::Principal> principal_of(const AccessClaims& claims) const;
  Result<auth::Principal> principal_of(const ApiKey& key) const;

  Context& context_;
  ApiKeys& keys_;
  std::unordered_map<std::string, AccessClaims> cache_;
};

}  // namespace patchbay::identity
