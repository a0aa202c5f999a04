#include "abi/store_registry.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace patchbay::core {

void StoreRegistry::register_on_demand(const std::string& owner, std::string schema) {
  const std::lock_guard lock(mutex_);
  schemas_on_demand_[owner] = std::move(schema);
}

Result<StatementId> StoreRegistry::statement(const std::string& owner, std::string_view name) {
  std::string schema;
  {
    const std::lock_guard lock(mutex_);
    if (auto wanted = schemas_on_demand_.extract(owner)) schema = std::move(wanted.mapped());
  }
  if (!schema.empty()) PB_TRY(store_->register_owner(owner, schema));
  return store_->statement(owner, name);
}

void StoreRegistry::add(Ref<JobWorker> worker) {
  const std::lock_guard lock(mutex_);
  job_workers_.push_back(std::move(worker));
}

void StoreRegistry::remove(const JobWorker& worker) {
  const std::lock_guard lock(mutex_);
  std::erase_if(job_workers_, [&](const Ref<JobWorker>& each) { return each.get() == &worker; });
}

void StoreRegistry::add(Ref<DurableConsumer> consumer) {
  const std::lock_guard lock(mutex_);
  consumers_.push_back(std::move(consumer));
}

void StoreRegistry::remove(const DurableConsumer& consumer) {
  const std::lock_guard lock(mutex_);
  std::erase_if(consumers_, [&](const Ref<DurableConsumer>& each) { return each.get() == &consumer; });
}

std::vector<Ref<JobWorker>> StoreRegistry::job_workers() const {
  const std::lock_guard lock(mutex_);
  return job_workers_;
}

std::vector<Ref<DurableConsumer>> StoreRegistry::consumers() const {
  const std::lock_guard lock(mutex_);
  return consumers_;
}

void StoreRegistry::announced(CommitNotice&& what) {
  // Those of other processes only wake consumers: who publishes an event on the bus acts on it, too.
  for (const LoggedEvent& event : what.events) {
    if (what.is_elsewhere) break;
    static_cast<void>(
        bus_.publish(EventData{event.topic, event.tenant, event.subject, event.correlation, event.payload,
                               event.ts_ms, static_cast<uint64_t>(event.id), event.tenant_seq}));
  }
  for (const std::string& owner : what.changed)
    if (what.is_elsewhere)
      static_cast<void>(bus_.publish(EventData{kChangedTopic, "", owner, "", "{}", 0, 0, 0}));
  if (!what.events.empty()) {
    for (const auto& consumer : consumers()) {
      const bool wanted = std::any_of(what.events.begin(), what.events.end(),
                                      [&](const LoggedEvent& event) { return consumer->wants(event.topic); });
      if (wanted) consumer->wake();
    }
  }
  if (what.jobs.empty()) return;
  for (const auto& worker : job_workers()) {
    int64_t first_ms = std::numeric_limits<int64_t>::max();
    for (const JobNotice& job : what.jobs)
      if (job.kind == worker->kind()) first_ms = std::min(first_ms, job.due_ms);
    if (first_ms != std::numeric_limits<int64_t>::max()) worker->job_added(first_ms);
  }
}

std::vector<StoreRegistry::EndedJob> StoreRegistry::jobs_ended_by(const Transaction& transaction) {
  std::vector<EndedJob> jobs;
  for (const Op& op : transaction.ops) {
    if (const auto* done = std::get_if<JobDoneOp>(&op)) jobs.push_back({done->job, done->kind_prefix});
    if (const auto* retry = std::get_if<JobRetryOp>(&op)) jobs.push_back({retry->job, retry->kind_prefix});
  }
  return jobs;
}

// Notifies only job workers that may hold one of them.
void StoreRegistry::claims_ended(const std::vector<EndedJob>& jobs) {
  if (jobs.empty()) return;
  for (const auto& worker : job_workers()) {
    std::vector<int64_t> own;
    for (const EndedJob& each : jobs)
      if (worker->kind().substr(0, each.kind_prefix.size()) == each.kind_prefix) own.push_back(each.job);
    if (!own.empty()) worker->claims_ended(own);
  }
}

}  // namespace patchbay::core
