// The table of topics, each with its list of subscribers. Patterns are matched when a topic or a subscription
// is added, never per event.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bus/topic_name.h"
#include "patchbay/result.h"
#include "runtime/ref.h"

namespace patchbay::core {

class Subscription;

// Immutable; a change replaces the whole list. Readers hold an EpochGuard.
struct SubscriberList {
  std::vector<Ref<Subscription>> members;  // in the order of subscribing
};

class Topic {
 public:
  Topic(std::string name, size_t hash, const SubscriberList* subscribers);
  ~Topic();

  std::string_view name() const noexcept { return name_; }

  std::atomic<const SubscriberList*> subscribers;  // owned; null when there are none

 private:
  friend class TopicTable;

  const std::string name_;
  const size_t hash_;
  Topic* next_ = nullptr;
};

// Topics are added and never removed. find() takes no lock.
class TopicTable {
 public:
  TopicTable() = default;
  ~TopicTable();
  TopicTable(const TopicTable&) = delete;
  TopicTable& operator=(const TopicTable&) = delete;

  // [any] Returns null when there is no such topic.
  Topic* find(std::string_view name) const noexcept;
  // [one at a time] Takes ownership of `subscribers`. `name` must be valid and new. Fails with exhausted
  // beyond kMaxTopics.
  Result<Topic*> add(std::string_view name, const SubscriberList* subscribers);
  // [one at a time] Returns all topics, unordered.
  std::vector<Topic*> all() const;

 private:
  static constexpr size_t kBuckets = 1024;

  // owned
  std::array<std::atomic<Topic*>, kBuckets> buckets_{};
  // state
  size_t count_ = 0;
};

}  // namespace patchbay::core
