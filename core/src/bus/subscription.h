// Subscription: a callback, its strand and its bounded queue. A burst of events costs one post to the strand,
// and each run of the delivery takes up to 63 events.
#pragma once

#include <cstdint>
#include <string>

#include "bus/event_queue.h"
#include "bus/limits.h"
#include "runtime/registration.h"
#include "runtime/spin_lock.h"

namespace patchbay::core {

class Bus;

using SubscriptionId = uint64_t;  // never 0, never reused
// [the subscription's strand] `event` is borrowed for the call; take a Ref to keep it. Must not throw.
using EventFn = void (*)(void* user, const Event& event);

enum class DropPolicy { oldest, newest };

struct SubscribeOptions {
  std::string pattern;  // "call.answered", "call.*", "*"
  std::string tenant;   // "": all tenants
  // Queued events, 1 to kMaxQueuedEvents, of kMaxQueuedEventBytes at most; beyond it `policy` drops one.
  uint32_t queue_max = kDefaultQueuedEvents;
  DropPolicy policy = DropPolicy::oldest;
};

struct SubscriptionStats {
  uint64_t delivered;
  uint64_t dropped;
  uint64_t queued;
};

class Subscription final : public Registration {
 public:
  Subscription(Bus& bus, SubscriptionId id, SubscribeOptions options, Strand& strand, EventFn fn, void* user);

  SubscriptionId id() const noexcept { return id_; }
  const std::string& pattern() const noexcept { return options_.pattern; }

  // [any, not media] Queues the event. Takes over one of its references when it returns true.
  bool enqueue(const Event& event) noexcept;

  // [any] Releases the queued events. Call after close().
  void clear() noexcept;
  SubscriptionStats stats() noexcept;

 private:
  struct Delivery : Task {
    explicit Delivery(Subscription& to) noexcept
        : Task([](Task& task) noexcept { static_cast<Delivery&>(task).self.deliver(); }), self(to) {}
    Subscription& self;
  };

  ~Subscription() override;

  // Drops the oldest event if there is no room for `event`. False: dropped `event` instead, by the policy.
  bool make_room(const Event& event) noexcept;
  EventBatch take_batch() noexcept;
  void deliver() noexcept;
  void schedule() noexcept;
  void count_drop(const Event& lost) noexcept;
  void publish_drops(bool queue_empty) noexcept;

  // borrowed
  Bus& bus_;
  const EventFn fn_;
  void* const user_;
  // owned
  const SubscriptionId id_;
  const SubscribeOptions options_;
  // state; publishers and the delivery write to different cache lines
  alignas(64) SpinLock lock_;
  EventQueue queue_;        // guarded by lock_, like the next three
  bool scheduled_ = false;  // the delivery is queued or running, and holds a reference to this
  uint64_t dropped_ = 0;
  uint64_t unreported_drops_ = 0;
  Delivery delivery_;
  alignas(64) std::atomic<uint64_t> delivered_{0};  // written on the strand, like the next
  int64_t drops_published_ns_ = 0;
};

}  // namespace patchbay::core
