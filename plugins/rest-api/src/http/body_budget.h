// How much memory request bodies may take together, from their first octet until their request has been
// answered. All edge threads share one budget. Each client may take a part of it and each IPv6 /48 a larger
// one, so that one client cannot use up what the others need. When there is no room, bodies that have been
// coming for a while are given up for new ones, the slowest first. [any thread]
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
  // Octets of each body that are not counted: small requests are served also when the budget is used up.
  static constexpr size_t kFree = 4 * 1024;
  // How many times the part of one client an IPv6 /48 may take.
  static constexpr size_t kSiteFactor = 2;

  // A body is not given up for others before it is `grace` old.
  BodyBudget(size_t most, size_t most_per_client, Clock::duration grace);

 private:
  // What one body has taken.
  struct Held {
    std::array<std::string, 3> keys;  // of all, its site and its client
    Clock::time_point started;
    std::function<void()> drop;
    size_t taken = 0;
    Lag lag;
    bool receiving = true;
    bool dropped = false;
  };

 public:
  // What one body has taken; gives it back when it is destroyed.
  class Share {
   public:
    Share() = default;
    // The budget is shared because an exchange may outlive the edge. `drop` is called from any thread, under
    // the budget's lock, when the body is given up: it must end the body soon and not call back. Not after
    // complete() or destruction.
    Share(std::shared_ptr<BodyBudget> budget, std::string_view address, Clock::time_point started,
          std::function<void()> drop);
    ~Share();
    Share(Share&& other) noexcept;
    Share& operator=(Share&& other) noexcept;

    // Sets what the body takes now, and how slowly it comes. False: that is too much and the share is as it
    // was, or the body was given up.
    bool grow_to(size_t octets, const Lag& lag, Clock::time_point now);
    // The body has come whole, so it is not given up any more. False: it was.
    bool complete();

   private:
    void release() noexcept;
    std::shared_ptr<BodyBudget> budget_;
    std::unique_ptr<Held> held_;  // the budget refers to it while it takes anything
  };

  size_t held() const;
  // Bodies given up so far.
  uint64_t dropped() const;

 private:
  bool grow(Held& body, size_t octets, const Lag& lag, Clock::time_point now);
  bool make_room(const Held& body, size_t octets, Clock::time_point now);
  bool drop_slowest(const Held& newcomer, size_t level, Clock::time_point now);
  size_t taken_by(const std::string& key) const;
  void release(Held& body) noexcept;

  const std::array<size_t, 3> most_;  // of all, a site and a client
  const Clock::duration grace_;
  mutable std::mutex mutex_;                       // guards what follows, and what every Held has
  std::unordered_map<std::string, size_t> taken_;  // by Held::keys; without entries of 0
  std::unordered_set<Held*> bodies_;               // that take anything
  uint64_t dropped_ = 0;
};

}  // namespace patchbay::rest_api
