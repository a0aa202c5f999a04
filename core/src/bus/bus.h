// Bus: transient events from anyone to whoever listens, each on the listener's strand, in the order of
// publishing per subject. Lossy by design under overload: queues are bounded, drops are counted and announced
// on core.bus.dropped. What must not be lost goes through the store's event log.
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
  // Payload {"subscription","pattern","dropped","total"}: its id and pattern, how many were lost since the
  // last such event and in all. The subject is the owner of the subscription's strand. Losses of this topic
  // are only counted.
  static constexpr std::string_view kDroppedTopic = "core.bus.dropped";

  // The clocks must outlive the bus.
  Bus(const WallClock& wall, const MonoClock& mono);
  // All strands that listen must be at rest and no publisher left.
  ~Bus();
  Bus(const Bus&) = delete;
  Bus& operator=(const Bus&) = delete;

  // [any, not media] Never blocks. invalid for a bad topic, exhausted for too many topics, misuse on a media
  // thread.
  Status publish(const EventData& data);
  // How many topics one publisher may make.
  static constexpr uint32_t kMaxTopicsPerPublisher = 1024;
  // [any, not media] Whether it may be published: a topic, and one that is known or that may still be made.
  Status may_publish(std::string_view topic, std::atomic<uint32_t>& topics_made);

  // [any, not media] The two halves of it, for who publishes an event again or beside storing it. `event`
  // must be of this bus. The result is ok or misuse.
  Result<Ref<const Event>> make(const EventData& data);
  Code publish(Ref<const Event> event) noexcept;

  // [any, not media] Calls fn(user, event) on `strand`. invalid for a bad pattern or bound.
  Result<SubscriptionId> subscribe(SubscribeOptions options, Strand& strand, EventFn fn, void* user);

  // [any, not media] Ends it with the promise of Registration. not_found: `done` is not called.
  Status unsubscribe(SubscriptionId id, CallFn done = nullptr, void* user = nullptr);

  // [any, not media]
  Result<SubscriptionStats> stats(SubscriptionId id);
  // [any, not media] By owner of the strands that listen; what ended subscriptions have lost is counted on.
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
  enum class Change { joins, leaves };
  void renew(const Ref<Subscription>& member, Change change, std::vector<Retired>& past);
  void reclaim(std::vector<Retired>& past);
  bool counts_for_report(const Event& lost) const noexcept { return &lost.topic_entry() != dropped_topic_; }
  void publish_drops(Subscription& from, uint64_t fresh, uint64_t total) noexcept;

  // borrowed
  const WallClock& wall_;
  const MonoClock& mono_;
  // owned, changed only under mutex_, which no callback ever runs under
  std::mutex mutex_;
  TopicTable topics_;
  std::map<SubscriptionId, Ref<Subscription>> subscriptions_;
  std::vector<Retired> retired_;
  std::map<std::string, uint64_t> closed_drops_;  // of subscriptions that have ended, by owner
  // state
  const Topic* dropped_topic_ = nullptr;
  SubscriptionId last_id_ = 0;
};

}  // namespace patchbay::core
