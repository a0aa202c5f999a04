// Token buckets by client address and, if wanted, by something beside it (an account). An IPv6 address is
// counted by its /64 and, with kSiteFactor times the limit, by its /48 (address_key.h). One thread; monotonic
// time comes from the caller.
#pragma once

#include "rate/rate_limiter.h"

namespace patchbay::lib {

class AddressLimiter {
 public:
  static constexpr double kSiteFactor = 16;

  explicit AddressLimiter(RateLimit limit);

  // Takes `cost` tokens of both levels and returns 0, or takes none and returns the milliseconds to wait.
  // `beside` is part of both keys. A cost above the burst takes the whole burst.
  int64_t take(std::string_view address, int64_t now_ns, std::string_view beside = {}, double cost = 1);
  // Gives the address all its tokens back; its site keeps what it used.
  void reset(std::string_view address, std::string_view beside = {});

 private:
  RateLimiter hosts_;
  RateLimiter sites_;
};

}  // namespace patchbay::lib
