// Limits attempts with passwords and refresh tokens. Counts failures per account and address together, per
// address over all accounts (against spraying) and per account over all addresses (against distributed
// guessing). An attacker must not be able to lock out the owner of an account: the last limit only delays,
// and failures of others do not affect an account at an address from which it has signed in. One thread.
#pragma once

#include <deque>
#include <set>
#include <string>

#include "rate/rate_limiter.h"

namespace patchbay::lib {

class SignInLimits {
 public:
  // How long an attempt is held before its password is checked, if the account is under attack.
  static constexpr int64_t kDelayMs = 2000;

  struct Attempt {
    std::string account;  // tenant and user name
    std::string address;  // of the client
  };

  // Returns the milliseconds until the attempt is allowed; 0: now.
  int64_t wait_ms(const Attempt& attempt, int64_t now_ns) const;
  // Returns how long to hold the attempt before the check: 0 or kDelayMs.
  int64_t delay_ms(const Attempt& attempt, int64_t now_ns) const;
  void failed(const Attempt& attempt, int64_t now_ns);
  void succeeded(const Attempt& attempt);

  // The limits of the address alone, for refresh tokens, which name no account.
  int64_t wait_at_ms(const std::string& address, int64_t now_ns) const;
  void failed_at(const std::string& address, int64_t now_ns);

 private:
  static constexpr size_t kMaxKnown = 65'536;
  static std::string pair_of(const Attempt& attempt);
  bool is_known(const Attempt& attempt) const { return known_.count(pair_of(attempt)) != 0; }

  RateLimiter pairs_{{1.0 / 60, 10.0, 65'536}};
  RateLimiter addresses_{{1.0 / 6, 10.0, 65'536}};  // IPv6: /64
  RateLimiter sites_{{1.0 / 1.5, 40.0, 65'536}};    // IPv6: /48
  RateLimiter accounts_{{1.0 / 30, 20.0, 65'536}};
  std::set<std::string> known_;     // pairs of account and address that have signed in
  std::deque<std::string> oldest_;  // the same pairs, the oldest first
};

}  // namespace patchbay::lib
