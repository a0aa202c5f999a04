#include "bus/topic.h"

#include <functional>

#include "bus/limits.h"
#include "bus/subscription.h"

namespace patchbay::core {

Topic::Topic(std::string name, size_t hash, const SubscriberList* list)
    : subscribers(list), name_(std::move(name)), hash_(hash) {}

Topic::~Topic() { delete subscribers.load(std::memory_order_relaxed); }

TopicTable::~TopicTable() {
  for (Topic* topic : all()) delete topic;
}

Topic* TopicTable::find(std::string_view name) const noexcept {
  const size_t hash = std::hash<std::string_view>()(name);
  Topic* topic = buckets_[hash % kBuckets].load(std::memory_order_acquire);
  while (topic && (topic->hash_ != hash || topic->name_ != name)) topic = topic->next_;
  return topic;
}

Result<Topic*> TopicTable::add(std::string_view name, const SubscriberList* subscribers) {
  std::unique_ptr<const SubscriberList> owned(subscribers);
  if (count_ >= kMaxTopics)
    return {Code::exhausted, "too many different topics; put what varies into the subject"};
  const size_t hash = std::hash<std::string_view>()(name);
  auto* topic = new Topic(std::string(name), hash, owned.release());
  auto& bucket = buckets_[hash % kBuckets];
  topic->next_ = bucket.load(std::memory_order_relaxed);
  bucket.store(topic, std::memory_order_release);
  ++count_;
  return topic;
}

std::vector<Topic*> TopicTable::all() const {
  std::vector<Topic*> topics;
  for (auto& bucket : buckets_)
    for (Topic* topic = bucket.load(std::memory_order_acquire); topic; topic = topic->next_)
      topics.push_back(topic);
  return topics;
}

}  // namespace patchbay::core
