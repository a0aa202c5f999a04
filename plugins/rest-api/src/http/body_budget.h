// Limits the memory of all request bodies together (but for kFreeBodyOctets of each), from their first octet
// until their request is answered. A second budget limits large response bodies, until they are written. All
// server threads share one budget. Each client may take a share of it
// and each IPv6 /48 a larger one, so that one client cannot use it up. When the budget is used up, the
// slowest of the bodies that have been arriving for a while are dropped for new ones. [any thread]
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "lag.h"

namespace patchbay::rest_api {

class BodyBudget {
 public:
  // Bodies younger than `grace`, and those that lag less than `min_lag`, are not dropped for others.
  BodyBudget(size_t max, size_t max_per_client, Clock::duration grace, Clock::duration min_lag = {});

 private:
  // The memory of one body.
  struct Held {
    std::array<std::string, 3> keys;  // of the total, its /48 and its client
    Clock::time_point started;
    std::function<void()> drop;
    size_t taken = 0;
    Lag lag;
    bool receiving = true;
    bool dropped = false;
  };

 public:
  // The memory of one body; released by the destructor.
  class Share {
   public:
    Share() = default;
    // The budget is shared because an exchange may outlive the server. When the budget drops the body, it
    // calls `drop` from any thread, under its lock: end the body soon, and do not call the budget. Never
    // called after complete() or destruction.
    Share(std::shared_ptr<BodyBudget> budget, std::string_view address, Clock::time_point started,
          std::function<void()> drop);
    ~Share();
    Share(Share&& other) noexcept;
    Share& operator=(Share&& other) noexcept;

    // Sets the size of the body and its lag. False: there is no room and the share is unchanged, or the body
    // was dropped.
    bool grow_to(size_t octets, const Lag& lag, Clock::time_point now);
    // No-op without memory.
    void set_lag(const Lag& lag) noexcept;
    // The body is complete, so it is no longer dropped for others. False: it was dropped before.
    bool complete();

   private:
    void release() noexcept;
    std::shared_ptr<BodyBudget> budget_;
    std::unique_ptr<Held> held_;  // the budget refers to it while it holds memory
  };

  size_t max_per_client() const noexcept { return max_.back(); }
  size_t held() const;
  // Bodies dropped so far.
  uint64_t dropped() const;

 private:
  bool grow(Held& body, size_t octets, const Lag& lag, Clock::time_point now);
  bool make_room(const Held& body, size_t octets, Clock::time_point now);
  bool drop_slowest(const Held& newcomer, size_t level, Clock::time_point now);
  size_t taken_by(const std::string& key) const;
  void release(Held& body) noexcept;

  const std::array<size_t, 3> max_;  // in total, of a /48, of a client
  const Clock::duration grace_;
  const Clock::duration min_lag_;
  mutable std::mutex mutex_;                       // guards the members below and every Held
  std::unordered_map<std::string, size_t> taken_;  // by Held::keys; no entries of 0
  std::unordered_set<Held*> bodies_;               // those that hold memory
  uint64_t dropped_ = 0;
};

}  // namespace patchbay::rest_api
