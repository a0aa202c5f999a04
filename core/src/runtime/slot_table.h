// SlotTable: what is held by number and looked up on media loops, too: there neither finding nor taking out
// locks, allocates or frees. Numbers are unique in the process, also beside those of HandleMap, and never
// used twice, so that a dead one is only ever not found.
//
// A number names a slot and the serial that the slot had when it was filled. Who uses a slot pins it; what
// was taken out is put on a list by the last pin, and freed by the next caller off the media loops.
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
  // Keeps what was found where it is until the end of the scope.
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

  // [any, not media] 0 when there is no room for more.
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

  // [any, media too] Empty when it is not there.
  Pin pin(uint64_t handle) const noexcept { return reach(handle, 0); }
  // [any, media too] Takes it out: nothing finds it any more. Only the first gets it.
  Pin take_pinned(uint64_t handle) noexcept {
    Pin taken = reach(handle, kLive);
    if (taken) live_.fetch_sub(1, std::memory_order_relaxed);
    return taken;
  }

  // [any, not media] Copies.
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
  static constexpr int kStateBits = 22;  // of kLive and the pins
  static constexpr uint64_t kSerials = (uint64_t{1} << 42) - 1;
  static constexpr uint64_t kMark = uint64_t{1} << 62;  // tells these numbers from HandleMap's
  static constexpr uint64_t kLive = uint64_t{1} << 21;
  static constexpr uint64_t kPins = kLive - 1;
  static constexpr uint32_t kChunk = 1024;

  Slot* slot_at(uint32_t index) const noexcept {
    Slot* chunk = chunks_[index / kChunk].load(std::memory_order_acquire);
    return chunk ? chunk + index % kChunk : nullptr;
  }

  // Pins the slot; `clear` is taken from its state in the same step.
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

  // Empties what was taken out, outside of the lock, and makes its slots vacant.
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
  std::mutex mutex_;           // among those who add
  std::vector<Slot*> vacant_;  // guarded by mutex_
};

}  // namespace patchbay::core
