#include "rate/sign_in_limits.h"

#include <algorithm>

#include "rate/address_key.h"

namespace patchbay::lib {

std::string SignInLimits::pair_of(const Attempt& attempt) {
  return attempt.account + "\n" + address_key(attempt.address);
}

int64_t SignInLimits::wait_ms(const Attempt& attempt, int64_t now_ns) const {
  const int64_t of_pair = pairs_.wait_ms(pair_of(attempt), now_ns);
  if (is_known(attempt)) return of_pair;
  return std::max(of_pair, wait_at_ms(attempt.address, now_ns));
}

int64_t SignInLimits::wait_at_ms(const std::string& address, int64_t now_ns) const {
  return std::max(addresses_.wait_ms(address_key(address), now_ns),
                  sites_.wait_ms(site_key(address), now_ns));
}

int64_t SignInLimits::delay_ms(const Attempt& attempt, int64_t now_ns) const {
  return accounts_.wait_ms(attempt.account, now_ns) > 0 && !is_known(attempt) ? kDelayMs : 0;
}

void SignInLimits::failed(const Attempt& attempt, int64_t now_ns) {
  pairs_.take(pair_of(attempt), now_ns);
  failed_at(attempt.address, now_ns);
  accounts_.take(attempt.account, now_ns);
}

void SignInLimits::failed_at(const std::string& address, int64_t now_ns) {
  addresses_.take(address_key(address), now_ns);
  sites_.take(site_key(address), now_ns);
}

void SignInLimits::succeeded(const Attempt& attempt) {
  const std::string pair = pair_of(attempt);
  pairs_.reset(pair);
  if (!known_.insert(pair).second) return;
  oldest_.push_back(pair);
  if (oldest_.size() <= kMaxKnown) return;
  known_.erase(oldest_.front());
  oldest_.pop_front();
}

}  // namespace patchbay::lib
