// InFlightLimit: limits the requests in flight, in total (kMaxInFlight) and of each tenant
// (kMaxInFlightPerTenant). Lanes wait here for a free slot; tenants are served round robin. Not thread-safe.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace patchbay::webhooks {

class InFlightLimit {
 public:
  bool has_room(const std::string& tenant) const;
  void take(const std::string& tenant);
  void release(const std::string& tenant);
  size_t used() const noexcept { return used_; }

  // Queues the lane for a slot; no-op if it waits already.
  void wait(const std::string& tenant, const std::string& lane);
  // Removes the next lane that may have a slot now from the queue and returns it; nothing if there is none.
  std::optional<std::string> next();

 private:
  struct Tenant {
    size_t used = 0;
    std::deque<std::string> waiting;
    std::set<std::string> queued;  // the same lanes
  };
  void remove_idle(const std::string& tenant);

  size_t used_ = 0;
  std::map<std::string, Tenant> tenants_;
  std::deque<std::string> turns_;  // tenants with waiting lanes, each once
};

}  // namespace patchbay::webhooks
