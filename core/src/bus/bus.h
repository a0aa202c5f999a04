// Bus: publish/subscribe of transient events. Each subscriber gets events on its strand, per subject in the
// order of publishing. Lossy by design under overload: queues are bounded, drops are counted and reported on
// core.bus.dropped. Events that must not be lost go through the store's event log.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bus/event.h"
#include "bus/subscription.h"
#include "bus/topic.h"
#include "patchbay/result.h"
#include "runtime/clock.h"

namespace patchbay::core {

class Bus {
 public:
  // Published when a subscription drops events. Payload {"subscription","pattern","dropped","total"}: the
  // subscription's id and pattern, drops since the last such event and in total. The subject is the owner of
  // the subscription's strand. Dropped events of this topic itself are only counted.
  static constexpr std::string_view kDroppedTopic = "core.bus.dropped";

  // The clocks must outlive the bus.
  Bus(const WallClock& wall, const MonoClock& mono);
  // All subscribing strands must be idle, and no thread may publish any more.
  ~Bus();
  Bus(const Bus&) = delete;
  Bus& operator=(const Bus&) = delete;

  // [any, not media] Never blocks. Fails with invalid for a bad topic, exhausted for too many topics, misuse
  // on a media thread.
  Status publish(const EventData& data);
  // [any, not media] Ok when the topic exists; otherwise creates it and counts it in `topics_created`. Fails
  // with exhausted beyond kMaxTopicsPerPublisher.
  Status may_publish(std::string_view topic, std::atomic<uint32_t>& topics_created);

  // [any, not media] The two steps of publish(), for events that are published more than once or also stored.
  // `event` must come from make() of this bus. The result is ok or misuse.
  Result<Ref<const Event>> make(const EventData& data);
  Code publish(Ref<const Event> event) noexcept;

  // [any, not media] Calls fn(user, event) on `strand` for each matching event. Fails with invalid for a bad
  // pattern or queue_max.
  Result<SubscriptionId> subscribe(SubscribeOptions options, Strand& strand, EventFn fn, void* user);

  // [any, not media] Ends the subscription; Registration::close() says what `done` guarantees. Fails with
  // not_found, and does not call `done`, for an unknown id.
  Status unsubscribe(SubscriptionId id, CallFn done = nullptr, void* user = nullptr);

  // [any, not media]
  Result<SubscriptionStats> stats(SubscriptionId id);
  // [any, not media] Counts per owner of the subscribing strands; `dropped` includes ended subscriptions.
  struct OwnerStats {
    uint64_t dropped = 0;
    uint64_t queued = 0;
    uint64_t subscriptions = 0;
  };
  std::map<std::string, OwnerStats> owner_stats();

  const MonoClock& mono_clock() const noexcept { return mono_; }

 private:
  friend class Subscription;
  struct Retired {
    uint64_t epoch;
    std::unique_ptr<const SubscriberList> subscribers;
  };

  Result<Topic*> topic(std::string_view name);
  const SubscriberList* subscribers_of(std::string_view topic) const;
  enum class Change { add, remove };
  void update_subscribers(const Ref<Subscription>& member, Change change, std::vector<Retired>& reclaimed);
  void reclaim(std::vector<Retired>& reclaimed);
  bool reports_drops_of(const Event& lost) const noexcept { return &lost.topic_entry() != dropped_topic_; }
  void publish_drops(Subscription& from, uint64_t fresh, uint64_t total) noexcept;

  // borrowed
  const WallClock& wall_;
  const MonoClock& mono_;
  // owned, changed only under mutex_; no callback runs under it
  std::mutex mutex_;
  TopicTable topics_;
  std::map<SubscriptionId, Ref<Subscription>> subscriptions_;
  std::vector<Retired> retired_;
  std::map<std::string, uint64_t> ended_drops_;  // of ended subscriptions, by owner
  // state
  const Topic* dropped_topic_ = nullptr;
  SubscriptionId last_id_ = 0;
};

}  // namespace patchbay::core
