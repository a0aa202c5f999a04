// Who may use the whitelist endpoints: an admin's bearer, or a signature with the tenant's shared secret.
// Main strand.
#pragma once

#include <patchbay/services/auth.h>
#include <patchbay/services/http.h>

#include <string>

#include "config.h"
#include "rate/rate_limiter.h"

namespace patchbay::whitelist {

struct Refusal {
  int64_t status = 0;  // 0: admitted
  std::string text;
  int64_t retry_after_sec = 0;  // of 429
};

// How one request wants to be admitted.
struct Credentials {
  std::string tenant;
  std::string authorization;  // header, "" when absent
  std::string signature;      // header, "" when absent
  std::string canonical;      // what the signature must be of
  std::string remote;
};

class Admission {
 public:
  explicit Admission(const Host& host) : host_(&host), auth_(host) {}

  void reconfigure(Settings settings) { settings_ = std::move(settings); }

  // done(refusal, actor): who it is, for the audit line. 503, then 401 and 403.
  void admit(const Credentials& who, Function<void(const Refusal&, const std::string& actor)> done);

 private:
  using Done = Function<void(const Refusal&, const std::string& actor)>;
  void admit_bearer(const Credentials& who, const std::string& bearer, Done done);
  void admit_signature(const Credentials& who, const std::string& secret, const Done& done);
  int64_t wait_ms(const Credentials& who) const;

  const Host* host_;
  Service<auth::Auth> auth_;
  Settings settings_;
  // Wrong signatures, by tenant and address (IPv6: /64, and /48). Beyond the limit signatures are not looked
  // at any more; bearers are.
  lib::RateLimiter wrong_{{1.0, 100.0, 10'000}};
  lib::RateLimiter wrong_of_site_{{16.0, 1600.0, 10'000}};
};

}  // namespace patchbay::whitelist
