// patchbay.auth: verifies bearer tokens and API keys. Provided by identity. Maturity: experimental.
#pragma once

#include "../service.h"

namespace patchbay::auth {

struct Verify {
  std::string bearer;  // without "Bearer "; a secret
  std::string remote;  // the client's address, for rate limits
  PATCHBAY_FIELDS(bearer, remote)
};

struct Principal {
  std::string subject;
  std::string username;  // preferred_username, or "key:<name>"
  std::string tenant;
  std::string role;  // "admin" or "user"
  bool is_key = false;
  bool is_super = false;  // an admin of the primary tenant
  int64_t expires_ms = 0;
  PATCHBAY_FIELDS(subject, username, tenant, role, is_key, is_super, expires_ms)
};

// Thread: runs on the provider's main strand, answers on the strand of the caller.
// Lifetime: the principal is a copy; verify each request, because keys and users may be revoked at any time.
// Since: 0.1
struct Auth {
  static constexpr char id[] = "patchbay.auth/1";
  // Returns the principal of a bearer. Code::denied: it is invalid; the text has the reason, for the log, and
  // never the bearer.
  static constexpr Method<0, Verify, Principal> verify{"verify"};
  static constexpr auto methods() { return std::make_tuple(verify); }
};

}  // namespace patchbay::auth
