// SlotTable: objects held by handle that are looked up on media loops, too: there pin() and take_pinned()
// neither lock nor allocate nor free. Handles are unique in the process (also among those of HandleMap) and
// never reused, so looking up a closed handle finds nothing.
//
// A handle names a slot and the serial that the slot got when it was filled. Callers pin a slot while they
// use it. After a value was taken out, the last unpin puts the slot on a list, and the next caller off the
// media loops frees it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "runtime/next_handle.h"
#include "runtime/push_list.h"

namespace patchbay::core {

// T is cheap to copy and empty by default (a Ref, a pointer).
template <class T>
class SlotTable {
  struct Slot {
    std::atomic<uint64_t> state{0};  // serial, kLive, count of pins
    T what{};
    uint32_t index = 0;
    Slot* next_retired = nullptr;
  };

 public:
  // Keeps the value in place until the end of the scope.
  class Pin {
   public:
    Pin() = default;
    Pin(Pin&& other) noexcept
        : table_(std::exchange(other.table_, nullptr)), slot_(std::exchange(other.slot_, nullptr)) {}
    Pin& operator=(Pin&&) = delete;
    ~Pin() {
      if (slot_) table_->unpin(*slot_);
    }
    explicit operator bool() const noexcept { return slot_ != nullptr; }
    T& operator*() const noexcept { return slot_->what; }
    T* operator->() const noexcept { return &slot_->what; }

   private:
    friend class SlotTable;
    Pin(SlotTable& table, Slot& slot) noexcept : table_(&table), slot_(&slot) {}
    SlotTable* table_ = nullptr;
    Slot* slot_ = nullptr;
  };

  SlotTable() = default;
  SlotTable(const SlotTable&) = delete;
  SlotTable& operator=(const SlotTable&) = delete;
  ~SlotTable() {
    for (auto& chunk : chunks_) delete[] chunk.load(std::memory_order_relaxed);
  }

  // [any, not media] Returns the handle, or 0 when the table is full.
  uint64_t add(T what) {
    reap();
    const std::lock_guard lock(mutex_);
    Slot* slot = vacant_slot();
    if (!slot) return 0;
    slot->what = std::move(what);
    const uint64_t serial = next_handle() & kSerials;
    live_.fetch_add(1, std::memory_order_relaxed);
    slot->state.store(serial << kStateBits | kLive, std::memory_order_release);
    return kMark | serial << kIndexBits | slot->index;
  }

  // [any, media too] Empty if the handle is unknown.
  Pin pin(uint64_t handle) const noexcept { return reach(handle, 0); }
  // [any, media too] Removes the value: lookups no longer find it. Only the first caller gets it.
  Pin take_pinned(uint64_t handle) noexcept {
    Pin taken = reach(handle, kLive);
    if (taken) live_.fetch_sub(1, std::memory_order_relaxed);
    return taken;
  }

  // [any, not media] Return copies; an unknown handle gives T{}.
  T find(uint64_t handle) const {
    const Pin found = pin(handle);
    return found ? *found : T{};
  }
  T take(uint64_t handle) {
    T what{};
    if (const Pin taken = take_pinned(handle)) what = *taken;
    reap();
    return what;
  }
  std::vector<std::pair<uint64_t, T>> all() const {
    std::vector<std::pair<uint64_t, T>> found;
    for (uint32_t index = 0; index < used_.load(std::memory_order_acquire); ++index) {
      const uint64_t state = slot_at(index)->state.load(std::memory_order_acquire);
      const uint64_t handle = kMark | (state >> kStateBits) << kIndexBits | index;
      if (const Pin held = (state & kLive) != 0 ? pin(handle) : Pin()) found.emplace_back(handle, *held);
    }
    return found;
  }
  size_t size() const noexcept { return live_.load(std::memory_order_relaxed); }

 private:
  static constexpr int kIndexBits = 20;
  static constexpr int kStateBits = 22;  // for kLive and the pin count
  static constexpr uint64_t kSerials = (uint64_t{1} << 42) - 1;
  static constexpr uint64_t kMark = uint64_t{1} << 62;  // distinguishes these handles from HandleMap's
  static constexpr uint64_t kLive = uint64_t{1} << 21;
  static constexpr uint64_t kPins = kLive - 1;
  static constexpr uint32_t kChunk = 1024;

  Slot* slot_at(uint32_t index) const noexcept {
    Slot* chunk = chunks_[index / kChunk].load(std::memory_order_acquire);
    return chunk ? chunk + index % kChunk : nullptr;
  }

  // Pins the slot and clears the bits `clear` of its state in one step.
  Pin reach(uint64_t handle, uint64_t clear) const noexcept {
    if ((handle & kMark) == 0) return {};
    Slot* slot = slot_at(static_cast<uint32_t>(handle & ((1u << kIndexBits) - 1)));
    if (!slot) return {};
    const uint64_t serial = handle >> kIndexBits & kSerials;
    uint64_t state = slot->state.load(std::memory_order_acquire);
    do {
      if (state >> kStateBits != serial || (state & kLive) == 0) return {};
    } while (!slot->state.compare_exchange_weak(state, (state & ~clear) + 1, std::memory_order_acq_rel,
                                                std::memory_order_acquire));
    return Pin(const_cast<SlotTable&>(*this), *slot);
  }
  void unpin(Slot& slot) noexcept {
    const uint64_t before = slot.state.fetch_sub(1, std::memory_order_acq_rel);
    if ((before & kPins) == 1 && (before & kLive) == 0) retired_.push(slot);
  }

  // Makes retired slots vacant. Their values are destroyed after the lock is released.
  void reap() {
    Slot* slot = retired_.take();
    if (!slot) return;
    std::vector<T> past;
    const std::lock_guard lock(mutex_);
    while (slot) {
      Slot* next = slot->next_retired;
      past.push_back(std::exchange(slot->what, T{}));
      vacant_.push_back(slot);
      slot = next;
    }
  }

  // Under mutex_.
  Slot* vacant_slot() {
    if (!vacant_.empty()) {
      Slot* slot = vacant_.back();
      vacant_.pop_back();
      return slot;
    }
    const uint32_t index = used_.load(std::memory_order_relaxed);
    if (index == 1u << kIndexBits) return nullptr;
    auto& chunk = chunks_[index / kChunk];
    if (!chunk.load(std::memory_order_relaxed)) chunk.store(new Slot[kChunk], std::memory_order_release);
    Slot* slot = slot_at(index);
    slot->index = index;
    used_.store(index + 1, std::memory_order_release);
    return slot;
  }

  // owned
  std::array<std::atomic<Slot*>, (1u << kIndexBits) / kChunk> chunks_{};
  // state
  PushList<Slot, &Slot::next_retired> retired_;
  std::atomic<uint32_t> used_{0};
  std::atomic<size_t> live_{0};
  std::mutex mutex_;           // held while adding and reaping
  std::vector<Slot*> vacant_;  // guarded by mutex_
};

}  // namespace patchbay::core
