#include "store/store_metrics.h"

#include <mutex>
#include <utility>
#include <vector>

namespace patchbay::core {
namespace {

using observe::Exposition;

double number(uint64_t value) { return static_cast<double>(value); }

// Refusals other than timeouts. Clamped at 0, because a timeout is counted before its refusal.
double other(uint64_t refused, uint64_t timeouts) {
  return number(refused > timeouts ? refused - timeouts : 0);
}

void add_writer(Exposition& out, const StoreStats& stats) {
  constexpr const char* kWrites = "Completed transactions and other writes";
  out.counter("patchbay_store_writes_total", kWrites, number(stats.tasks), {{"result", "ok"}});
  out.counter("patchbay_store_writes_total", kWrites, other(stats.refused, stats.timeouts),
              {{"result", "refused"}});
  out.counter("patchbay_store_writes_total", kWrites, number(stats.timeouts), {{"result", "timeout"}});
  out.gauge("patchbay_store_write_queue_tasks", "Writes that wait for the writer", number(stats.queued));
  out.gauge("patchbay_store_write_queue_bytes", "Memory of the writes that wait", number(stats.queued_bytes));
  out.histogram("patchbay_store_group_tasks", "Writes per commit", stats.group_tasks.bounds,
                stats.group_tasks.counts, stats.group_tasks.sum);
  out.histogram("patchbay_store_commit_seconds", "Time of a commit with its fsync",
                stats.commit_seconds.bounds, stats.commit_seconds.counts, stats.commit_seconds.sum);
  out.counter("patchbay_store_unsynced_commits_total",
              "Commits whose fsync failed, and that were rolled back", number(stats.unsynced));
  out.counter("patchbay_store_lock_waits_total", "Waits for a lock that another process held on the database",
              number(stats.lock_waits));
  constexpr const char* kCheckpoints = "Moves of the write-ahead log into the database file";
  out.counter("patchbay_store_checkpoints_total", kCheckpoints, number(stats.checkpoints),
              {{"result", "ok"}});
  out.counter("patchbay_store_checkpoints_total", kCheckpoints, number(stats.failed_checkpoints),
              {{"result", "failed"}});
  out.gauge("patchbay_store_wal_bytes", "Write-ahead log that is not moved into the file yet",
            static_cast<double>(stats.log_bytes));
}

void add_readers(Exposition& out, const StoreStats& stats) {
  constexpr const char* kReads = "Completed queries";
  out.counter("patchbay_store_reads_total", kReads, number(stats.reads), {{"result", "ok"}});
  out.counter("patchbay_store_reads_total", kReads, other(stats.refused_reads, stats.read_timeouts),
              {{"result", "refused"}});
  out.counter("patchbay_store_reads_total", kReads, number(stats.read_timeouts), {{"result", "timeout"}});
  out.gauge("patchbay_store_read_queue_tasks", "Queries that wait for a reader", number(stats.queued_reads));
}

}  // namespace

class StoreMetrics::Consumers : public std::enable_shared_from_this<Consumers> {
 public:
  // Returns the last result and queries for the next call.
  std::vector<ConsumerState> get(Store& store) {
    std::unique_lock lock(mutex_);
    auto known = states_;
    if (std::exchange(querying_, true)) return known;
    lock.unlock();  // because a store that refuses calls back within the call
    store.consumers([self = shared_from_this()](Result<std::vector<ConsumerState>> states) {
      const std::lock_guard answered(self->mutex_);
      self->querying_ = false;
      if (states) self->states_ = std::move(*states);
    });
    return known;
  }

 private:
  std::mutex mutex_;  // guards all
  std::vector<ConsumerState> states_;
  bool querying_ = false;
};

StoreMetrics::StoreMetrics(observe::Metrics& metrics, Store& store, const EventRetention& retention,
                           std::function<int64_t()> now_ms)
    : store_(store),
      retention_(retention),
      now_ms_(std::move(now_ms)),
      consumers_(std::make_shared<Consumers>()),
      source_(metrics.add_source([this](Exposition& out) { add(out); })) {}

void StoreMetrics::add(Exposition& out) {
  const StoreStats stats = store_.stats();
  add_writer(out, stats);
  add_readers(out, stats);
  out.counter("patchbay_store_pruned_events_total", "Old events removed from the log",
              number(retention_.removed()));
  for (const ConsumerState& each : consumers_->get(store_)) {
    const observe::Labels labels = {{"consumer", each.name}};
    const int64_t age_ms = each.oldest_pending_ms < 0 ? 0 : now_ms_() - each.oldest_pending_ms;
    out.gauge("patchbay_store_pending_events", "Events pending for a durable consumer, counted up to 100000",
              static_cast<double>(each.pending), labels);
    out.gauge("patchbay_store_oldest_pending_seconds", "Age of the oldest pending event",
              static_cast<double>(age_ms) / 1000, labels);
  }
}

}  // namespace patchbay::core
