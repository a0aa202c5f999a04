// Token buckets per client address and, optionally, per account. An IPv6 address counts per /64 and, with
// kSiteFactor times the limit, per /48 (address_key.h). One thread; the caller passes monotonic time.
#pragma once

#include "rate/rate_limiter.h"

namespace patchbay::lib {

class AddressLimiter {
 public:
  static constexpr double kSiteFactor = 16;

  explicit AddressLimiter(RateLimit limit);

  // Takes `cost` tokens at both levels and returns 0, or takes none and returns the milliseconds to wait.
  // `account` is part of both keys. A cost above the burst takes the whole burst.
  int64_t take(std::string_view address, int64_t now_ns, std::string_view account = {}, double cost = 1);
  // Refills the bucket of the address, not that of its /48.
  void reset(std::string_view address, std::string_view account = {});

 private:
  RateLimiter hosts_;
  RateLimiter sites_;
};

}  // namespace patchbay::lib
