#include "services/end_watch.h"

#include <utility>
#include <vector>

#include "runtime/thread_kind.h"
#include "services/handle_map.h"

namespace patchbay::core {

void EndWatch::notify() {
  if (notified_.exchange(true, std::memory_order_relaxed)) return;
  const Ref<EndWatch> self(this);
  strand().post([self] {
    if (!self->open()) return;
    const CallbackScope what("watch of an end");
    self->fn_(self->user_);
  });
}

uint64_t EndWatches::add(uint64_t handle, Ref<EndWatch> watch) {
  const uint64_t number = next_handle();
  const std::lock_guard lock(mutex_);
  entries_.emplace(number, Entry{handle, std::move(watch)});
  by_handle_.emplace(handle, number);
  return number;
}

Ref<EndWatch> EndWatches::take(uint64_t number) {
  const std::lock_guard lock(mutex_);
  const auto at = entries_.find(number);
  if (at == entries_.end()) return {};
  const Entry entry = std::move(at->second);
  entries_.erase(at);
  const auto [from, to] = by_handle_.equal_range(entry.handle);
  for (auto each = from; each != to; ++each) {
    if (each->second != number) continue;
    by_handle_.erase(each);
    break;
  }
  return entry.watch;
}

void EndWatches::ended(uint64_t handle) {
  std::vector<Ref<EndWatch>> notified;
  {
    const std::lock_guard lock(mutex_);
    const auto [from, to] = by_handle_.equal_range(handle);
    for (auto each = from; each != to; ++each) notified.push_back(entries_.at(each->second).watch);
  }
  for (const auto& watch : notified) watch->notify();
}

}  // namespace patchbay::core
