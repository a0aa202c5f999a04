// Authorizes requests to the whitelist endpoints: by an admin's bearer, or by a signature with the tenant's
// shared secret. Main strand.
#pragma once

#include <patchbay/services/auth.h>
#include <patchbay/services/http.h>

#include <string>

#include "rate/rate_limiter.h"
#include "read_settings.h"
#include "whitelist_limits.h"

namespace patchbay::whitelist {

struct Refusal {
  int64_t status = 0;  // HTTP status; 0: authorized
  std::string text;
  int64_t retry_after_sec = 0;  // for 429
};

// The credentials of one request.
struct Credentials {
  std::string tenant;
  std::string authorization;  // header; "": absent
  std::string signature;      // header; "": absent
  std::string canonical;      // the text that the signature must match
  std::string remote;
};

class Authorizer {
 public:
  explicit Authorizer(const Host& host) : host_(&host), auth_(host) {}

  void reconfigure(Settings settings) { settings_ = std::move(settings); }

  // Calls done(refusal, actor); `actor` names the requester in the audit log. Checks for 503, then 401 and
  // 403.
  void authorize(const Credentials& credentials,
                 Function<void(const Refusal&, const std::string& actor)> done);

 private:
  using Done = Function<void(const Refusal&, const std::string& actor)>;
  void authorize_bearer(const Credentials& credentials, const std::string& bearer, Done done);
  void authorize_signature(const Credentials& credentials, const std::string& secret, const Done& done);
  int64_t wait_ms(const Credentials& credentials) const;

  const Host* host_;
  Service<auth::Auth> auth_;
  Settings settings_;
  // Counts wrong signatures by tenant and address (IPv6: /64, and /48). Beyond the limit signatures are
  // refused unchecked; bearers are still checked.
  lib::RateLimiter wrong_{{kWrongSignaturesPerSec, kMaxWrongSignatures, kMaxSignatureKeys}};
  lib::RateLimiter wrong_by_site_{{kSiteSignaturesFactor * kWrongSignaturesPerSec,
                                   kSiteSignaturesFactor* kMaxWrongSignatures, kMaxSignatureKeys}};
};

}  // namespace patchbay::whitelist
