// The requests that may be under way at once: so many in all, so many of each tenant. Lanes that find none
// free wait here, and tenants take turns. Not thread-safe.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace patchbay::webhooks {

class Slots {
 public:
  static constexpr size_t kMax = 256;
  static constexpr size_t kMaxPerTenant = 64;

  bool has_room(const std::string& tenant) const;
  void take(const std::string& tenant);
  void give_back(const std::string& tenant);
  size_t used() const noexcept { return used_; }

  // The lane of this tenant would like a slot; ignored when it waits already.
  void wait(const std::string& tenant, const std::string& lane);
  // Takes the lane whose turn it is and that may have a slot now out of the queue; nothing when there is
  // none.
  std::optional<std::string> next();

 private:
  struct Tenant {
    size_t used = 0;
    std::deque<std::string> waiting;
    std::set<std::string> queued;  // the same
  };
  void forget_idle(const std::string& tenant);

  size_t used_ = 0;
  std::map<std::string, Tenant> tenants_;
  std::deque<std::string> turns_;  // tenants with waiting lanes, each once
};

}  // namespace patchbay::webhooks
