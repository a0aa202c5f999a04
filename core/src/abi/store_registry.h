// StoreRegistry: connects the plugins with the one store: open transactions, job workers,
// consumers, and what a commit announces to them.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "abi/durable_consumer.h"
#include "abi/job_worker.h"
#include "abi/open_transaction.h"
#include "bus/bus.h"
#include "services/handle_map.h"
#include "store/store.h"

namespace patchbay::core {

class StoreRegistry {
 public:
  // Published when another process on the database has committed changes by a statement that is marked
  // `-- notify`. The subject is the plugin whose statement it was. A hint: it may be missing.
  static constexpr std::string_view kChangedTopic = "core.store.changed";

  explicit StoreRegistry(Bus& bus) : bus_(bus) {}

  // Call once, before the first plugin is created.
  void attach(Store& store) noexcept { store_ = &store; }
  Store& store() noexcept { return *store_; }

  // [control] Registers the plugin's schema at its first look for a statement instead of now. For a plugin
  // that is created to check its configuration, as that costs more than the check.
  void register_on_demand(const std::string& owner, std::string schema);
  // [any] A plugin looks for one of its statements.
  Result<StatementId> statement(const std::string& owner, std::string_view name);

  // Any thread. Shared by the plugin that builds a transaction and the services to which it passes it.
  HandleMap<std::shared_ptr<OpenTransaction>>& transactions() noexcept { return transactions_; }

  void add(Ref<JobWorker> worker);
  void remove(const JobWorker& worker);
  void add(Ref<DurableConsumer> consumer);
  void remove(const DurableConsumer& consumer);

  // [writer] After each commit, in commit order.
  void announced(CommitNotice&& what);
  // [any] Jobs whose claims a transaction ended, because it completed them or put them off.
  struct EndedJob {
    int64_t job;
    std::string kind_prefix;
  };
  static std::vector<EndedJob> jobs_ended_by(const Transaction& transaction);
  void claims_ended(const std::vector<EndedJob>& jobs);

 private:
  std::vector<Ref<JobWorker>> job_workers() const;
  std::vector<Ref<DurableConsumer>> consumers() const;

  // borrowed
  Bus& bus_;
  Store* store_ = nullptr;
  // owned
  HandleMap<std::shared_ptr<OpenTransaction>> transactions_;
  mutable std::mutex mutex_;
  std::vector<Ref<JobWorker>> job_workers_;
  std::vector<Ref<DurableConsumer>> consumers_;
  std::map<std::string, std::string> schemas_on_demand_;  // by owner; guarded by mutex_
};

}  // namespace patchbay::core
