#include "abi/store_hub.h"

#include <algorithm>
#include <utility>

namespace patchbay::core {

void StoreHub::add(Ref<JobPump> pump) {
  const std::lock_guard lock(mutex_);
  pumps_.push_back(std::move(pump));
}

void StoreHub::remove(const JobPump& pump) {
  const std::lock_guard lock(mutex_);
  std::erase_if(pumps_, [&](const Ref<JobPump>& each) { return each.get() == &pump; });
}

void StoreHub::add(Ref<HeldConsumer> consumer) {
  const std::lock_guard lock(mutex_);
  consumers_.push_back(std::move(consumer));
}

void StoreHub::remove(const HeldConsumer& consumer) {
  const std::lock_guard lock(mutex_);
  std::erase_if(consumers_, [&](const Ref<HeldConsumer>& each) { return each.get() == &consumer; });
}

std::vector<Ref<JobPump>> StoreHub::pumps() const {
  const std::lock_guard lock(mutex_);
  return pumps_;
}

std::vector<Ref<HeldConsumer>> StoreHub::consumers() const {
  const std::lock_guard lock(mutex_);
  return consumers_;
}

void StoreHub::announced(Announcements&& what) {
  for (const LoggedEvent& event : what.events) {
    static_cast<void>(bus_.publish(EventData{event.topic, event.tenant, event.subject, event.correlation,
                                             event.payload, event.ts_ms, static_cast<uint64_t>(event.id)}));
  }
  if (!what.events.empty()) {
    for (const auto& consumer : consumers()) {
      const bool wanted = std::any_of(what.events.begin(), what.events.end(),
                                      [&](const LoggedEvent& event) { return consumer->wants(event.topic); });
      if (wanted) consumer->wake();
    }
  }
  if (what.jobs.empty()) return;
  for (const auto& pump : pumps()) {
    const bool wanted = std::any_of(what.jobs.begin(), what.jobs.end(),
                                    [&](const JobNotice& job) { return job.kind == pump->kind(); });
    if (wanted) pump->look();
  }
}

void StoreHub::settled(const std::vector<int64_t>& jobs) {
  if (jobs.empty()) return;
  for (const auto& pump : pumps()) pump->settled(jobs);
}

}  // namespace patchbay::core
