// Token buckets by key: each key has `capacity` tokens and gets one back every `refill_ms`. Holds at most
// `most_keys`; the one not asked for the longest is forgotten first. One thread; time comes from the caller.
#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

namespace patchbay::lib {

class RateLimiter {
 public:
  struct Limits {
    int64_t capacity = 10;
    int64_t refill_ms = 60'000;
    size_t most_keys = 65'536;
  };
  explicit RateLimiter(Limits limits) : limits_(limits) {}

  // Takes a token. False when there is none.
  bool take(std::string_view key, int64_t now_ms);
  // True when take() would succeed.
  bool has(std::string_view key, int64_t now_ms);
  // How long until there is a token again; 0: now.
  int64_t wait_ms(std::string_view key, int64_t now_ms);
  // The key has all its tokens again.
  void reset(std::string_view key);
  size_t keys() const noexcept { return buckets_.size(); }

 private:
  struct Bucket {
    std::string key;
    int64_t tokens;
    int64_t since_ms;  // when the count was exact
  };
  using Order = std::list<Bucket>;  // the latest first
  void refill(Bucket& bucket, int64_t now_ms) const;
  Bucket* find(std::string_view key, int64_t now_ms);

  const Limits limits_;
  Order order_;
  std::unordered_map<std::string_view, Order::iterator> buckets_;  // keys are those of order_
};

}  // namespace patchbay::lib
