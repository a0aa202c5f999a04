// How often passwords and refresh tokens may be tried. Failures are counted per account and address together,
// per address over all accounts (against spraying) and per account over all addresses (against guessing from
// many places). An attacker must not be able to lock an account's owner out: the last limit only slows, and
// an account that has signed in from an address is not affected there by what others did. Main strand.
#pragma once

#include <deque>
#include <set>
#include <string>

#include "rate/rate_limiter.h"

namespace patchbay::identity {

class SignInLimits {
 public:
  // How long an attempt on an account under attack is held before its password is checked.
  static constexpr int64_t kSlowedMs = 2000;

  struct Attempt {
    std::string account;  // tenant and user name
    std::string address;  // of the client
  };

  // 0 when the attempt may be made now, else the milliseconds until it may.
  int64_t wait_ms(const Attempt& attempt, int64_t now_ns) const;
  // How long to hold the attempt before the check: 0 or kSlowedMs.
  int64_t delay_ms(const Attempt& attempt, int64_t now_ns) const;
  void failed(const Attempt& attempt, int64_t now_ns);
  void succeeded(const Attempt& attempt);

  // The limits of the address alone, for what names no account: a refresh token.
  int64_t wait_at_ms(const std::string& address, int64_t now_ns) const;
  void failed_at(const std::string& address, int64_t now_ns);

 private:
  static constexpr size_t kMaxKnown = 65'536;
  static std::string pair_of(const Attempt& attempt);
  bool is_known(const Attempt& attempt) const { return known_.count(pair_of(attempt)) != 0; }

  lib::RateLimiter pairs_{{1.0 / 60, 10.0, 65'536}};
  lib::RateLimiter addresses_{{1.0 / 6, 10.0, 65'536}};  // IPv6: /64
  lib::RateLimiter sites_{{1.0 / 1.5, 40.0, 65'536}};    // IPv6: /48
  lib::RateLimiter accounts_{{1.0 / 30, 20.0, 65'536}};
  std::set<std::string> known_;     // pairs that have signed in
  std::deque<std::string> oldest_;  // the same, for forgetting
};

}  // namespace patchbay::identity
