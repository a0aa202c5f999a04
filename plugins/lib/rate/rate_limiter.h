// Token buckets by key, for example address and account: each key may take `burst` tokens at once and regains
// `per_second`. Holds at most `max_keys` and evicts the least recently used. One thread; the caller passes
// monotonic time.
#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

namespace patchbay::lib {

struct RateLimit {
  double per_second = 1.0;
  double burst = 10.0;
  size_t max_keys = 65'536;
};

class RateLimiter {
 public:
  explicit RateLimiter(RateLimit limit) : limit_(limit) {}

  // Takes `cost` tokens and returns 0, or takes none and returns the milliseconds until enough are there, at
  // least 1. A cost above the burst takes the whole burst, because it could never be paid otherwise.
  int64_t take(std::string_view key, int64_t now_ns, double cost = 1);
  // Returns what take() would return, and takes nothing.
  int64_t wait_ms(std::string_view key, int64_t now_ns, double cost = 1) const;
  // Refills the bucket of the key.
  void reset(std::string_view key);
  size_t keys() const noexcept { return index_.size(); }

 private:
  struct Bucket {
    std::string key;
    double tokens = 0;
    int64_t at_ns = 0;  // when `tokens` was computed
  };
  using Order = std::list<Bucket>;  // the most recently used first

  Bucket& use(std::string_view key, int64_t now_ns);
  double tokens_at(const Bucket& bucket, int64_t now_ns) const noexcept;
  int64_t wait_for(double cost, double tokens) const noexcept;
  double payable(double cost) const noexcept;

  const RateLimit limit_;
  Order order_;
  std::unordered_map<std::string_view, Order::iterator> index_;  // keys are those of order_
};

}  // namespace patchbay::lib
