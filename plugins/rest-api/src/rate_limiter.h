// Token buckets by key (an address and account together, say), in bounded memory.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace patchbay::rest_api {

struct RateLimit {
  double per_second = 1.0;
  double burst = 10.0;
  size_t max_keys = 65536;  // beyond it the key longest unused is forgotten
};

// [any thread]
class RateLimiter {
 public:
  // Monotonic nanoseconds; drivable by tests.
  using ClockNs = std::function<int64_t()>;

  RateLimiter(RateLimit limit, ClockNs clock) : limit_(limit), clock_(std::move(clock)) {}

  // Takes `cost` tokens and returns 0, or takes none and returns the milliseconds until they will be there,
  // at least 1. A cost above the burst can never be had; it is treated as the burst.
  uint64_t take(std::string_view key, double cost = 1.0);
  // What take would return; takes nothing.
  uint64_t peek(std::string_view key, double cost = 1.0);
  // Fills the bucket again, after a success for instance.
  void forget(std::string_view key);
  size_t size() const;

 private:
  struct Bucket {
    std::string key;
    double tokens = 0;
    int64_t at_ns = 0;
  };
  using Order = std::list<Bucket>;  // the most recently used first

  uint64_t wait_ms(double tokens, double cost) const noexcept;
  double tokens_at(const Bucket& bucket, int64_t now_ns) const noexcept;

  const RateLimit limit_;
  const ClockNs clock_;
  mutable std::mutex mutex_;
  Order order_;
  std::unordered_map<std::string_view, Order::iterator> index_;  // keys live in order_
};

}  // namespace patchbay::rest_api
