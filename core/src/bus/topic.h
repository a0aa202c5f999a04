// Topics: each name is kept once, with the list of who hears it. Patterns are matched when a topic or a
// subscription is new, never per event.
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

// Replaced whole, never changed; readers hold an EpochGuard.
struct SubscriberList {
  std::vector<Ref<Subscription>> members;  // in the order of subscribing
};

class Topic {
 public:
  Topic(std::string name, size_t hash, const SubscriberList* subscribers);
  ~Topic();

  std::string_view name() const noexcept { return name_; }

  std::atomic<const SubscriberList*> subscribers;  // owned; null when nobody listens

 private:
  friend class TopicTable;

  const std::string name_;
  const size_t hash_;
  Topic* next_ = nullptr;
};

// Grows only. find() takes no lock.
class TopicTable {
 public:
  static constexpr size_t kMaxTopics = 16384;

  TopicTable() = default;
  ~TopicTable();
  TopicTable(const TopicTable&) = delete;
  TopicTable& operator=(const TopicTable&) = delete;

  // [any] Null when it is not there.
  Topic* find(std::string_view name) const noexcept;
  // [one at a time] `name` is valid and not there yet. exhausted when there are too many.
  Result<Topic*> add(std::string_view name, const SubscriberList* subscribers);
  // [one at a time] All of them, in no order.
  std::vector<Topic*> all() const;

 private:
  static constexpr size_t kBuckets = 1024;

  // owned
  std::array<std::atomic<Topic*>, kBuckets> buckets_{};
  // state
  size_t count_ = 0;
};

}  // namespace patchbay::core
