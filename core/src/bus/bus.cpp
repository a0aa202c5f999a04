#include "bus/bus.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "bus/epoch_reclamation.h"
#include "bus/limits.h"
#include "runtime/thread_kind.h"

namespace patchbay::core {

Bus::Bus(const WallClock& wall, const MonoClock& mono) : wall_(wall), mono_(mono) {
  dropped_topic_ = *topics_.add(kDroppedTopic, nullptr);
}

Bus::~Bus() = default;

Status Bus::publish(const EventData& data) {
  PB_TRY_VALUE(auto event, make(data));
  if (publish(std::move(event)) != Code::ok) return {Code::misuse, "publish from a media thread"};
  return {};
}

Status Bus::may_publish(std::string_view name, std::atomic<uint32_t>& topics_created) {
  if (topics_.find(name)) return {};
  if (topics_created.load(std::memory_order_relaxed) >= kMaxTopicsPerPublisher)
    return {Code::exhausted, "too many different topics; put what varies into the subject"};
  PB_TRY(topic(name));
  topics_created.fetch_add(1, std::memory_order_relaxed);
  return {};
}

Result<Ref<const Event>> Bus::make(const EventData& data) {
  if (thread_kind() == ThreadKind::media) return {Code::misuse, "publish from a media thread"};
  PB_TRY_VALUE(Topic * entry, topic(data.topic));
  if (data.payload.size() > UINT32_MAX) return {Code::invalid, "the payload is too large"};
  return Event::create(*entry, data, data.time_ms ? data.time_ms : wall_.now_ms());
}

Code Bus::publish(Ref<const Event> event) noexcept {
  if (thread_kind() == ThreadKind::media) return Code::misuse;
  const EpochGuard guard;
  const SubscriberList* subscribers = event->topic_entry().subscribers.load();
  if (!subscribers) return Code::ok;
  // Takes one reference per subscriber in a single atomic add (the publisher's own counts as the first), and
  // releases those that no subscriber kept.
  const auto max_refs = uint32_t(subscribers->members.size());
  if (max_refs > 1) event->add_refs(max_refs - 1);
  const Event& shared = *event.detach();
  uint32_t left = max_refs;
  for (const auto& member : subscribers->members) left -= member->enqueue(shared) ? 1 : 0;
  if (left > 0) shared.release(left);
  return Code::ok;
}

Result<SubscriptionId> Bus::subscribe(SubscribeOptions options, Strand& strand, EventFn fn, void* user) {
  if (!valid_pattern(options.pattern))
    return {Code::invalid, "pattern \"" + options.pattern + "\": give a topic, \"prefix.*\" or \"*\""};
  if (options.queue_max < 1 || options.queue_max > kMaxQueuedEvents)
    return {Code::invalid, "queue_max must be 1 to " + std::to_string(kMaxQueuedEvents)};
  std::vector<Retired> reclaimed;  // freed after mutex_ is released
  const std::lock_guard lock(mutex_);
  const SubscriptionId id = ++last_id_;
  auto fresh = make_ref<Subscription>(*this, id, std::move(options), strand, fn, user);
  update_subscribers(fresh, Change::add, reclaimed);
  subscriptions_.emplace(id, std::move(fresh));
  return id;
}

Status Bus::unsubscribe(SubscriptionId id, CallFn done, void* user) {
  Ref<Subscription> ended;
  std::vector<Retired> reclaimed;
  {
    const std::lock_guard lock(mutex_);
    const auto found = subscriptions_.find(id);
    if (found == subscriptions_.end()) return {Code::not_found, "no such subscription"};
    ended = std::move(found->second);
    subscriptions_.erase(found);
    update_subscribers(ended, Change::remove, reclaimed);
    if (const uint64_t dropped = ended->stats().dropped) ended_drops_[ended->strand().owner()] += dropped;
  }
  ended->close(done, user);
  ended->clear();
  return {};
}

Result<SubscriptionStats> Bus::stats(SubscriptionId id) {
  const std::lock_guard lock(mutex_);
  const auto found = subscriptions_.find(id);
  if (found == subscriptions_.end()) return {Code::not_found, "no such subscription"};
  return found->second->stats();
}

std::map<std::string, Bus::OwnerStats> Bus::owner_stats() {
  std::map<std::string, OwnerStats> all;
  const std::lock_guard lock(mutex_);
  for (const auto& [owner, dropped] : ended_drops_) all[owner].dropped += dropped;
  for (const auto& [id, subscription] : subscriptions_) {
    const SubscriptionStats stats = subscription->stats();
    OwnerStats& owner = all[subscription->strand().owner()];
    owner.dropped += stats.dropped;
    owner.queued += stats.queued;
    ++owner.subscriptions;
  }
  return all;
}

Result<Topic*> Bus::topic(std::string_view name) {
  if (Topic* known = topics_.find(name)) return known;
  if (!valid_topic(name))
    return {Code::invalid,
            "topic \"" + std::string(name.substr(0, kMaxTopicBytes)) + "\" is not words joined by dots"};
  const std::lock_guard lock(mutex_);
  if (Topic* known = topics_.find(name)) return known;
  return topics_.add(name, subscribers_of(name));
}

const SubscriberList* Bus::subscribers_of(std::string_view topic) const {
  auto subscribers = std::make_unique<SubscriberList>();
  for (const auto& [id, subscription] : subscriptions_)
    if (matches(subscription->pattern(), topic)) subscribers->members.push_back(subscription);
  return subscribers->members.empty() ? nullptr : subscribers.release();
}

// Replaces the lists of the topics that `member` matches. Moves lists that no reader holds any more to
// `reclaimed`.
void Bus::update_subscribers(const Ref<Subscription>& member, Change change,
                             std::vector<Retired>& reclaimed) {
  std::vector<std::unique_ptr<const SubscriberList>> replaced;
  for (Topic* topic : topics_.all()) {
    if (!matches(member->pattern(), topic->name())) continue;
    const SubscriberList* old = topic->subscribers.load();
    auto next = std::make_unique<SubscriberList>();
    if (old) next->members.reserve(old->members.size() + 1);
    if (old)
      for (const auto& other : old->members)
        if (other.get() != member.get()) next->members.push_back(other);
    if (change == Change::add) next->members.push_back(member);
    topic->subscribers.store(next->members.empty() ? nullptr : next.release());
    if (old) replaced.emplace_back(old);
  }
  const uint64_t epoch = advance_epoch();
  for (auto& subscribers : replaced) retired_.push_back({epoch, std::move(subscribers)});
  reclaim(reclaimed);
}

void Bus::reclaim(std::vector<Retired>& reclaimed) {
  const auto over =
      std::partition(retired_.begin(), retired_.end(), [](auto& r) { return !is_reclaimable(r.epoch); });
  std::move(over, retired_.end(), std::back_inserter(reclaimed));
  retired_.erase(over, retired_.end());
}

void Bus::publish_drops(Subscription& from, uint64_t fresh, uint64_t total) noexcept {
  // The pattern needs no JSON escaping, because subscribe() checked it. The owner is only in the subject.
  const std::string payload = "{\"subscription\":" + std::to_string(from.id()) + ",\"pattern\":\"" +
                              from.pattern() + "\",\"dropped\":" + std::to_string(fresh) +
                              ",\"total\":" + std::to_string(total) + "}";
  EventData data;
  data.topic = kDroppedTopic;
  data.subject = from.strand().owner();
  data.payload = payload;
  [[maybe_unused]] const Status published = publish(data);
}

}  // namespace patchbay::core
