#include "request_rate.h"

#include "limits.h"

namespace patchbay::rest_api {

std::optional<Refusal> RequestRate::take(const Request& request, std::string_view subject, int64_t now_ns) {
  if (request.listener_role != kPublic) return std::nullopt;
  const double cost = 1 + static_cast<double>(request.body.size()) / kBodyOctetsPerRequest;
  const int64_t wait_ms = limiter_.take(request.client, now_ns, subject, cost);
  if (wait_ms == 0) return std::nullopt;
  Refusal refusal{429, "rate_limited", "too many requests; slow down"};
  refusal.retry_after_sec = (wait_ms + 999) / 1000;
  return refusal;
}

}  // namespace patchbay::rest_api
