#include "rate/rate_limiter.h"

#include <algorithm>

namespace patchbay::lib {

bool RateLimiter::take(std::string_view key, int64_t now_ms) {
  if (Bucket* bucket = find(key, now_ms)) {
    if (bucket->tokens == 0) return false;
    --bucket->tokens;
    return true;
  }
  if (buckets_.size() >= limits_.most_keys) {
    buckets_.erase(order_.back().key);
    order_.pop_back();
  }
  order_.push_front({std::string(key), limits_.capacity - 1, now_ms});
  buckets_.emplace(order_.front().key, order_.begin());
  return true;
}

bool RateLimiter::has(std::string_view key, int64_t now_ms) {
  const Bucket* bucket = find(key, now_ms);
  return bucket == nullptr || bucket->tokens > 0;
}

int64_t RateLimiter::wait_ms(std::string_view key, int64_t now_ms) {
  const Bucket* bucket = find(key, now_ms);
  if (bucket == nullptr || bucket->tokens > 0) return 0;
  return bucket->since_ms + limits_.refill_ms - now_ms;
}

void RateLimiter::reset(std::string_view key) {
  const auto found = buckets_.find(key);
  if (found == buckets_.end()) return;
  const auto place = found->second;
  buckets_.erase(found);  // first: its key lies in the bucket
  order_.erase(place);
}

RateLimiter::Bucket* RateLimiter::find(std::string_view key, int64_t now_ms) {
  const auto found = buckets_.find(key);
  if (found == buckets_.end()) return nullptr;
  order_.splice(order_.begin(), order_, found->second);
  refill(*found->second, now_ms);
  return &*found->second;
}

void RateLimiter::refill(Bucket& bucket, int64_t now_ms) const {
  const int64_t back = std::max<int64_t>(0, (now_ms - bucket.since_ms) / limits_.refill_ms);
  if (bucket.tokens + back >= limits_.capacity) {
    bucket.tokens = limits_.capacity;
    bucket.since_ms = now_ms;
  } else {
    bucket.tokens += back;
    bucket.since_ms += back * limits_.refill_ms;
  }
}

}  // namespace patchbay::lib
