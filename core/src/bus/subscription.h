// Subscription: one listener, its bounded queue, its strand. A burst of events costs one post to the strand;
// the delivery then takes up to 64 events at a time.
#pragma once

#include <cstdint>
#include <string>

#include "bus/event_ring.h"
#include "bus/spin_lock.h"
#include "runtime/registration.h"

namespace patchbay::core {

class Bus;

using SubscriptionId = uint64_t;  // never 0, never used twice
// [the subscription's strand] `event` is borrowed for the call; take a Ref to keep it. Must not throw.
using EventFn = void (*)(void* user, const Event& event);

enum class DropPolicy { oldest, newest };

struct SubscribeOptions {
  std::string pattern;        // "call.answered", "call.*", "*"
  std::string tenant;         // "": of every tenant
  uint32_t queue_max = 1024;  // waiting events, 1 to 65536; together 16 MiB at most
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

  // [any, not media] Takes over one reference of `event` when it returns true.
  bool enqueue(const Event& event) noexcept;

  // [any] Lets go of what is queued; after close().
  void clear() noexcept;
  SubscriptionStats stats() noexcept;

 private:
  struct Delivery : Task {
    explicit Delivery(Subscription& to) noexcept
        : Task([](Task& task) noexcept { static_cast<Delivery&>(task).self.deliver(); }), self(to) {}
    Subscription& self;
  };

  ~Subscription() override;

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
  // state; who publishes and who delivers write to different cache lines
  alignas(64) SpinLock lock_;
  EventRing ring_;          // guarded by lock_, as the next three
  bool scheduled_ = false;  // the delivery is queued or running, and holds a reference
  uint64_t dropped_ = 0;
  uint64_t unreported_drops_ = 0;
  Delivery delivery_;
  alignas(64) std::atomic<uint64_t> delivered_{0};  // written on the strand, as those below
  int64_t drops_published_ns_ = 0;
};

}  // namespace patchbay::core
