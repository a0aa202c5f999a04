// patchbay.auth: verifies bearer tokens and API keys, and serves the SIP credentials of users. Provided by
// identity. Maturity: experimental.
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

// Each user has a random SIP password beside the one of sign-ins, which is stored as Argon2id and cannot
// answer a digest. The password itself never leaves the provider: the reply is HA1 = H(username ":" realm ":"
// password) (RFC 7616 3.4.2, RFC 8760), which is of use for that realm only. It is a secret: do not log it.
struct SipDigest {
  std::string tenant;
  std::string username;   // as in the Authorization header; case matters
  std::string realm;      // that of the challenge; each tenant has another one
  std::string algorithm;  // "MD5" or "SHA-256"
  PATCHBAY_FIELDS(tenant, username, realm, algorithm)
};

struct SipCredential {
  std::string ha1;      // lower-case hexadecimal: 32 digits of MD5, 64 of SHA-256
  std::string subject;  // Principal::subject of the user
  PATCHBAY_FIELDS(ha1, subject)
};

// Thread: runs on the provider's main strand, answers on the strand of the caller.
// Lifetime: the principal is a copy; verify each request, because keys and users may be revoked at any time.
// Since: 0.1
struct Auth {
  static constexpr char id[] = "patchbay.auth/1";
  // Returns the principal of a bearer. Code::denied: it is invalid; the text has the reason, for the log, and
  // never the bearer.
  static constexpr Method<0, Verify, Principal> verify{"verify"};
  // Returns what to check a SIP digest with. Ask for each request, and keep nothing: the reply changes with
  // the user and the password. Code::denied: the user is unknown or disabled, or has no SIP password; answer
  // as to a wrong password, after the same work. Code::invalid: another algorithm.
  static constexpr Method<1, SipDigest, SipCredential> sip_digest{"sip_digest"};
  static constexpr auto methods() { return std::make_tuple(verify, sip_digest); }
};

}  // namespace patchbay::auth
