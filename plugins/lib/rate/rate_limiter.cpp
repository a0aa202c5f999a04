#include "rate/rate_limiter.h"

#include <algorithm>
#include <cmath>

namespace patchbay::lib {

int64_t RateLimiter::take(std::string_view key, int64_t now_ns, double cost) {
  Bucket& bucket = use(key, now_ns);
  bucket.tokens = tokens_at(bucket, now_ns);
  bucket.at_ns = std::max(bucket.at_ns, now_ns);
  const int64_t wait = wait_for(payable(cost), bucket.tokens);
  if (wait == 0) bucket.tokens -= payable(cost);
  return wait;
}

int64_t RateLimiter::wait_ms(std::string_view key, int64_t now_ns, double cost) const {
  const auto found = index_.find(key);
  return found == index_.end() ? 0 : wait_for(payable(cost), tokens_at(*found->second, now_ns));
}

void RateLimiter::reset(std::string_view key) {
  const auto found = index_.find(key);
  if (found == index_.end()) return;
  const auto place = found->second;
  index_.erase(found);  // first, because its key is a view into the bucket
  order_.erase(place);
}

RateLimiter::Bucket& RateLimiter::use(std::string_view key, int64_t now_ns) {
  if (const auto found = index_.find(key); found != index_.end()) {
    order_.splice(order_.begin(), order_, found->second);
    return order_.front();
  }
  if (index_.size() >= limit_.max_keys) {
    index_.erase(order_.back().key);
    order_.pop_back();
  }
  order_.push_front({std::string(key), limit_.burst, now_ns});
  index_.emplace(order_.front().key, order_.begin());
  return order_.front();
}

// Adds no tokens when the clock goes back.
double RateLimiter::tokens_at(const Bucket& bucket, int64_t now_ns) const noexcept {
  const double passed = static_cast<double>(std::max<int64_t>(0, now_ns - bucket.at_ns)) / 1e9;
  return std::min(limit_.burst, bucket.tokens + passed * limit_.per_second);
}

double RateLimiter::payable(double cost) const noexcept {
  return std::min(cost, std::max(limit_.burst, 1.0));
}

int64_t RateLimiter::wait_for(double cost, double tokens) const noexcept {
  constexpr double kRounding = 1e-6;  // rounding errors would turn one millisecond into two
  if (tokens >= cost - kRounding) return 0;
  if (limit_.per_second <= 0) return 3'600'000;
  const double wait = std::ceil((cost - tokens) * 1000.0 / limit_.per_second - kRounding);
  return static_cast<int64_t>(std::clamp(wait, 1.0, 86'400'000.0));
}

}  // namespace patchbay::lib
