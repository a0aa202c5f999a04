#include "rate_limiter.h"

#include <algorithm>
#include <cmath>

namespace patchbay::rest_api {

double RateLimiter::tokens_at(const Bucket& bucket, int64_t now_ns) const noexcept {
  const double passed = static_cast<double>(std::max<int64_t>(0, now_ns - bucket.at_ns)) / 1e9;
  return std::min(limit_.burst, bucket.tokens + passed * limit_.per_second);
}

uint64_t RateLimiter::wait_ms(double tokens, double cost) const noexcept {
  if (tokens >= cost) return 0;
  if (limit_.per_second <= 0) return 3'600'000;
  // Less the rounding of the sum, which would make a whole millisecond of a whole one two.
  const double wait = std::ceil((cost - tokens) * 1000.0 / limit_.per_second - 1e-6);
  return static_cast<uint64_t>(std::max(1.0, std::min(wait, 86'400'000.0)));
}

uint64_t RateLimiter::take(std::string_view key, double cost) {
  const auto now = clock_();
  const std::lock_guard lock(mutex_);
  const auto found = index_.find(key);
  if (found == index_.end()) {
    order_.push_front({std::string(key), limit_.burst, now});
    index_.emplace(order_.front().key, order_.begin());
    if (order_.size() > std::max<size_t>(1, limit_.max_keys)) {
      index_.erase(order_.back().key);
      order_.pop_back();
    }
  } else {
    order_.splice(order_.begin(), order_, found->second);
  }
  auto& bucket = order_.front();
  bucket.tokens = tokens_at(bucket, now);
  bucket.at_ns = std::max(bucket.at_ns, now);
  const auto wait = wait_ms(bucket.tokens, std::min(cost, limit_.burst));
  if (wait == 0) bucket.tokens -= std::min(cost, limit_.burst);
  return wait;
}

uint64_t RateLimiter::peek(std::string_view key, double cost) {
  const auto now = clock_();
  const std::lock_guard lock(mutex_);
  const auto found = index_.find(key);
  if (found == index_.end()) return 0;
  return wait_ms(tokens_at(*found->second, now), std::min(cost, limit_.burst));
}

void RateLimiter::forget(std::string_view key) {
  const std::lock_guard lock(mutex_);
  const auto found = index_.find(key);
  if (found == index_.end()) return;
  const auto place = found->second;
  index_.erase(found);
  order_.erase(place);
}

size_t RateLimiter::size() const {
  const std::lock_guard lock(mutex_);
  return order_.size();
}

}  // namespace patchbay::rest_api
