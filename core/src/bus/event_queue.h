// EventQueue: FIFO of a subscription's queued events, in chunks that the delivery takes whole, so that it
// holds the subscription's lock only for a few instructions. An empty queue holds no memory. Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>

#include "bus/event.h"
#include "bus/limits.h"
#include "runtime/block_pool.h"

namespace patchbay::core {

// Events that belong together in memory. The events are not owned.
struct EventChunk {
  EventChunk* next = nullptr;
  std::array<const Event*, kMaxEventsPerDelivery> events;

  static void* operator new(size_t) { return BlockPool<sizeof(EventChunk)>::allocate(); }
  static void operator delete(void* chunk) noexcept { BlockPool<sizeof(EventChunk)>::free(chunk); }
};
static_assert(sizeof(EventChunk) == 512);

// Events taken out of a queue.
class EventBatch {
 public:
  EventBatch(EventChunk* chunk, size_t begin, size_t end) noexcept
      : chunk_(chunk), begin_(begin), end_(end) {}
  ~EventBatch() { delete chunk_; }
  EventBatch(const EventBatch&) = delete;
  EventBatch& operator=(const EventBatch&) = delete;

  size_t size() const noexcept { return end_ - begin_; }
  const Event& operator[](size_t i) const noexcept { return *chunk_->events[begin_ + i]; }

 private:
  EventChunk* const chunk_;  // null: empty
  const size_t begin_;
  const size_t end_;
};

class EventQueue {
 public:
  explicit EventQueue(size_t max_events) : max_events_(max_events) {}
  ~EventQueue() {
    while (size_ > 0) take();
  }
  EventQueue(const EventQueue&) = delete;
  EventQueue& operator=(const EventQueue&) = delete;

  size_t size() const noexcept { return size_; }
  // True when an event of `bytes` does not fit. An empty queue takes one event of any size.
  bool full(size_t bytes) const noexcept {
    return size_ >= max_events_ || (size_ > 0 && bytes_ + bytes > kMaxQueuedEventBytes);
  }

  // Must not be full.
  void push(const Event& event) {
    if (!last_ || end_ == last_->events.size()) append();
    last_->events[end_++] = &event;
    bytes_ += event.bytes();
    ++size_;
  }
  // Removes the oldest event. Must not be empty.
  const Event& pop() noexcept {
    const Event& event = *first_->events[begin_++];
    bytes_ -= event.bytes();
    --size_;
    if (begin_ == first_end()) delete remove_first();
    return event;
  }
  // Removes the oldest events, up to a chunk. Their bytes count until forget(), as reading the size of each
  // event here would take as long as delivering it.
  EventBatch take() noexcept {
    if (size_ == 0) return {nullptr, 0, 0};
    const size_t begin = begin_, end = first_end();
    size_ -= end - begin;
    return {remove_first(), begin, end};
  }
  void forget(size_t bytes) noexcept { bytes_ -= bytes; }

 private:
  size_t first_end() const noexcept { return first_ == last_ ? end_ : first_->events.size(); }
  [[gnu::noinline]] void append() {
    auto* chunk = new EventChunk;
    (last_ ? last_->next : first_) = chunk;
    last_ = chunk;
    end_ = 0;
  }
  EventChunk* remove_first() noexcept {
    EventChunk* chunk = first_;
    first_ = chunk->next;
    if (!first_) last_ = nullptr;
    begin_ = 0;
    return chunk;
  }

  const size_t max_events_;
  size_t size_ = 0;
  size_t bytes_ = 0;
  EventChunk* first_ = nullptr;
  EventChunk* last_ = nullptr;
  uint32_t begin_ = 0;  // of the events in first_
  uint32_t end_ = 0;    // of the events in last_
};

}  // namespace patchbay::core
