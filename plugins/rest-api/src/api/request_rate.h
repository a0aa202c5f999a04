// Limits the rate of requests on the public listeners (limits.requestsPerSecond and burst). Counts account
// and address together, so that anonymous clients cannot use up the rate of an account. On the main strand.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "http/exchange.h"
#include "rate/address_limiter.h"

namespace patchbay::rest_api {

class RequestRate {
 public:
  explicit RequestRate(lib::RateLimit limit) : limiter_(limit) {}

  // Counts the request of the account `subject` ("": anonymous), more for a large body. The refusal is a 429.
  std::optional<Refusal> take(const Request& request, std::string_view subject, int64_t now_ns);

 private:
  lib::AddressLimiter limiter_;
};

}  // namespace patchbay::rest_api
