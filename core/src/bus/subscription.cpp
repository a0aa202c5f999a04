#include "bus/subscription.h"

#include <mutex>

#include "bus/bus.h"
#include "bus/limits.h"
#include "runtime/executor_slot.h"

namespace patchbay::core {

Subscription::Subscription(Bus& bus, SubscriptionId id, SubscribeOptions options, Strand& strand, EventFn fn,
                           void* user)
    : Registration(Ref<Strand>(&strand)),
      bus_(bus),
      fn_(fn),
      user_(user),
      id_(id),
      options_(std::move(options)),
      ring_(options_.queue_max),
      delivery_(*this) {}

Subscription::~Subscription() { clear(); }

bool Subscription::enqueue(const Event& event) noexcept {
  if (!open()) return false;
  if (!options_.tenant.empty() && options_.tenant != event.tenant()) return false;
  const size_t bytes = event.bytes();
  bool wake = false;
  for (;;) {
    const Event* evicted = nullptr;
    {
      const std::lock_guard lock(lock_);
      if (!ring_.full(bytes)) {
        ring_.push(&event);
        wake = !scheduled_;
        scheduled_ = true;
        break;
      }
      if (options_.policy == DropPolicy::newest) {
        count_drop(event);
        return false;
      }
      evicted = ring_.pop();
      count_drop(*evicted);
    }
    evicted->release();  // outside the lock
  }
  if (wake) {
    add_ref();
    schedule();
  }
  return true;
}

void Subscription::schedule() noexcept {
  if (strand().push(delivery_)) return;
  clear();  // the strand is closed for good; scheduled_ stays set, so that no publisher tries again
  release();
}

void Subscription::deliver() noexcept {
  const Event* batch[kMaxEventsPerDelivery];
  size_t count = 0;
  {
    const std::lock_guard lock(lock_);
    count = std::min(ring_.size(), kMaxEventsPerDelivery);
    for (size_t i = 0; i < count; ++i) batch[i] = ring_.pop();
  }
  uint64_t delivered = 0;
  for (size_t i = 0; i < count; ++i) {
    if (open()) {
      note_progress();
      fn_(user_, *batch[i]);
      ++delivered;
    }
    batch[i]->release();
  }
  delivered_.store(delivered_.load(std::memory_order_relaxed) + delivered, std::memory_order_relaxed);
  bool more = false;
  bool lost = false;
  {
    const std::lock_guard lock(lock_);
    more = ring_.size() > 0;
    scheduled_ = more;
    lost = unreported_drops_ > 0;
  }
  // The delivery's reference keeps this alive. When the ring was empty, a publisher may have queued the
  // delivery again by now, with its own reference.
  if (lost) publish_drops(!more);
  if (more)
    schedule();
  else
    release();
}

// Under lock_. Dropped drop reports are only counted, because reporting them could cause further drops for
// ever.
void Subscription::count_drop(const Event& lost) noexcept {
  ++dropped_;
  if (bus_.reports_drops_of(lost)) ++unreported_drops_;
}

// Publishes the drop report once the queue is empty, or every second while it is not.
void Subscription::publish_drops(bool queue_empty) noexcept {
  const int64_t now_ns = bus_.mono_clock().now_ns();
  if (!open() || (!queue_empty && now_ns - drops_published_ns_ < kDropReportIntervalNs)) return;
  drops_published_ns_ = now_ns;
  uint64_t fresh = 0;
  uint64_t total = 0;
  {
    const std::lock_guard lock(lock_);
    fresh = std::exchange(unreported_drops_, 0);
    total = dropped_;
  }
  bus_.publish_drops(*this, fresh, total);
}

void Subscription::clear() noexcept {
  for (;;) {
    const Event* event = nullptr;
    {
      const std::lock_guard lock(lock_);
      if (ring_.size() == 0) return;
      event = ring_.pop();
    }
    event->release();
  }
}

SubscriptionStats Subscription::stats() noexcept {
  const std::lock_guard lock(lock_);
  return {delivered_.load(std::memory_order_relaxed), dropped_, ring_.size()};
}

}  // namespace patchbay::core
