// InFlightLimit: limits the requests in flight, in total (kMaxInFlight) and of each tenant
// (kMaxInFlightPerTenant), and more tightly those to receivers that have not proved to be quick, so that
// receivers that hang leave room for others. Lanes wait here for a free slot; tenants are served round robin.
// Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>

namespace patchbay::webhooks {

// What a lane wants a slot for: a request to a receiver that lately answered quickly, the only request to
// another one, or a further one to such a receiver.
enum class SlotKind { quick, first, further };

class InFlightLimit {
 public:
  bool has_room(const std::string& tenant, SlotKind kind) const;
  // `quick`: whether the slot is SlotKind::quick. Pass the same to release().
  void take(const std::string& tenant, bool quick);
  void release(const std::string& tenant, bool quick);
  size_t used() const noexcept { return used_; }

  // Queues the lane for a slot. A lane that waits already keeps its place, or gets one of another kind.
  void wait(const std::string& tenant, const std::string& lane, SlotKind kind);
  // Removes the next lane that may have a slot now from the queue and returns it; nothing if there is none.
  std::optional<std::string> next();

 private:
  static constexpr size_t kKinds = 3;
  struct Tenant {
    size_t used = 0, unproven = 0;
    std::array<std::deque<std::string>, kKinds> waiting;
    std::map<std::string, SlotKind> kinds;  // of the lanes that wait
    bool unproven_turn = false;             // quick and first ones take turns
  };
  std::optional<std::string> next_of(const std::string& name, Tenant& tenant);
  std::optional<std::string> take_first(Tenant& tenant, SlotKind kind);
  void remove_idle(const std::string& tenant);

  size_t used_ = 0, unproven_ = 0;
  std::map<std::string, Tenant> tenants_;
  std::deque<std::string> turns_;  // tenants with waiting lanes, each once
};

}  // namespace patchbay::webhooks
