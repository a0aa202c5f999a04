#include "bus/subscription.h"

#include <mutex>
#include <utility>

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
      queue_(options_.queue_max),
      delivery_(*this) {}

Subscription::~Subscription() { clear(); }

bool Subscription::enqueue(const Event& event) noexcept {
  if (!open()) return false;
  if (!options_.tenant.empty() && options_.tenant != event.tenant()) return false;
  bool wake = false;
  for (;;) {
    {
      const std::lock_guard lock(lock_);
      if (!queue_.full(event.bytes())) {
        queue_.push(event);
        wake = !std::exchange(scheduled_, true);
        break;
      }
    }
    if (!make_room(event)) return false;
  }
  if (wake) {
    add_ref();
    schedule();
  }
  return true;
}

bool Subscription::make_room(const Event& event) noexcept {
  const Event* evicted = nullptr;
  {
    const std::lock_guard lock(lock_);
    if (!queue_.full(event.bytes())) return true;  // a delivery took events meanwhile
    if (options_.policy == DropPolicy::newest) {
      count_drop(event);
      return false;
    }
    evicted = &queue_.pop();
    count_drop(*evicted);
  }
  evicted->release();  // outside the lock
  return true;
}

void Subscription::schedule() noexcept {
  if (strand().push(delivery_)) return;
  clear();  // the strand is closed for good; scheduled_ stays set, so that no publisher tries again
  release();
}

EventBatch Subscription::take_batch() noexcept {
  const std::lock_guard lock(lock_);
  return queue_.take();
}

void Subscription::deliver() noexcept {
  const EventBatch batch = take_batch();
  uint64_t delivered = 0;
  size_t bytes = 0;
  for (size_t i = 0; i < batch.size(); ++i) {
    const Event& event = batch[i];
    bytes += event.bytes();
    if (open()) {
      note_progress();
      fn_(user_, event);
      ++delivered;
    }
    event.release();
  }
  delivered_.store(delivered_.load(std::memory_order_relaxed) + delivered, std::memory_order_relaxed);
  bool more = false;
  bool lost = false;
  {
    const std::lock_guard lock(lock_);
    queue_.forget(bytes);
    more = queue_.size() > 0;
    scheduled_ = more;
    lost = unreported_drops_ > 0;
  }
  // The delivery's reference keeps this alive. When the queue was empty, a publisher may have queued the
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
      if (queue_.size() == 0) return;
      event = &queue_.pop();
    }
    event->release();
  }
}

SubscriptionStats Subscription::stats() noexcept {
  const std::lock_guard lock(lock_);
  return {delivered_.load(std::memory_order_relaxed), dropped_, queue_.size()};
}

}  // namespace patchbay::core
