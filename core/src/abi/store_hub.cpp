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

void StoreHub::announced(CommitNotice&& what) {
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
    if (wanted) pump->check_due();
  }
}

std::vector<StoreHub::EndedJob> StoreHub::jobs_ended_by(const Transaction& transaction) {
  std::vector<EndedJob> jobs;
  for (const Op& op : transaction.ops) {
    if (const auto* done = std::get_if<JobDoneOp>(&op)) jobs.push_back({done->job, done->kind_prefix});
    if (const auto* retry = std::get_if<JobRetryOp>(&op)) jobs.push_back({retry->job, retry->kind_prefix});
  }
  return jobs;
}

// Notifies only pumps that may hold one of them.
void StoreHub::settled(const std::vector<EndedJob>& jobs) {
  if (jobs.empty()) return;
  for (const auto& pump : pumps()) {
    std::vector<int64_t> own;
    for (const EndedJob& each : jobs)
      if (pump->kind().substr(0, each.kind_prefix.size()) == each.kind_prefix) own.push_back(each.job);
    if (!own.empty()) pump->settled(own);
  }
}

}  // namespace patchbay::core
