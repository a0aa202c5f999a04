// Event: an immutable, reference-counted event of the bus. One block of memory holds the fields and the
// payload, which all subscribers share.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "runtime/ref.h"

namespace patchbay::core {

class Topic;

// The fields of an event to publish. Borrowed for the call.
struct EventData {
  std::string_view topic;        // "call.answered"
  std::string_view tenant;       // "" for the whole installation
  std::string_view subject;      // id of the call, room, ...; events of one subject stay in order
  std::string_view correlation;  // common to all events of one operation
  std::string_view payload;      // JSON
  int64_t time_ms = 0;           // 0: now, by the bus's wall clock
  uint64_t id = 0;               // id in the event log; 0: transient
  int64_t tenant_seq = 0;        // number in the tenant's log; 0: transient
};

class Event {
 public:
  // Copies `data`, except for its time_ms. `topic` must belong to the bus.
  static Ref<const Event> create(const Topic& topic, const EventData& data, int64_t time_ms);

  uint64_t id() const noexcept { return id_; }
  int64_t tenant_seq() const noexcept { return tenant_seq_; }
  int64_t time_ms() const noexcept { return time_ms_; }
  std::string_view topic() const noexcept;
  std::string_view tenant() const noexcept { return {text(), tenant_size_}; }
  std::string_view subject() const noexcept { return {text() + tenant_size_, subject_size_}; }
  std::string_view correlation() const noexcept {
    return {payload_begin() - correlation_size_, correlation_size_};
  }
  std::string_view payload() const noexcept { return {payload_begin(), payload_size_}; }

  // Size in memory, which the subscribers share.
  size_t bytes() const noexcept { return bytes_; }

  // Valid while the bus lives.
  const Topic& topic_entry() const noexcept { return topic_; }

  void add_ref() const noexcept { add_refs(1); }
  void add_refs(uint32_t more) const noexcept { count_.fetch_add(more, std::memory_order_relaxed); }
  void release() const noexcept { release(1); }
  void release(uint32_t fewer) const noexcept {
    // A count that equals ours cannot change any more, so that the last owner needs no atomic subtraction.
    if (count_.load(std::memory_order_acquire) == fewer ||
        count_.fetch_sub(fewer, std::memory_order_acq_rel) == fewer)
      destroy();
  }

 private:
  Event(const Topic& topic, const EventData& data, int64_t time_ms, size_t bytes) noexcept;
  ~Event() = default;

  const char* text() const noexcept { return reinterpret_cast<const char*>(this + 1); }
  const char* payload_begin() const noexcept {
    return text() + tenant_size_ + subject_size_ + correlation_size_;
  }
  void destroy() const noexcept;

  const Topic& topic_;
  const uint64_t id_;
  const int64_t tenant_seq_;
  const int64_t time_ms_;
  const size_t bytes_;
  const uint32_t tenant_size_;
  const uint32_t subject_size_;
  const uint32_t correlation_size_;
  const uint32_t payload_size_;
  mutable std::atomic<uint32_t> count_{1};
};

}  // namespace patchbay::core
