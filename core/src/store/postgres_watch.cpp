#include "store/postgres_watch.h"

#include <chrono>
#include <limits>
#include <utility>

#include "store/limits.h"
#include "store/postgres_limits.h"

namespace patchbay::core {

PostgresWatch::PostgresWatch(const PostgresFunctions& pq, PostgresLink::Options options,
                             std::shared_ptr<const Clock> clock, const StatementRegistry& statements,
                             Backend::Node node)
    : statements_(statements),
      node_(std::move(node)),
      clock_(std::move(clock)),
      link_(pq, std::move(options)) {}

Status PostgresWatch::start() {
  PB_TRY(link_.connect());
  Rows rows;
  PB_TRY(run("last-event", {}, &rows));
  last_event_ = rows.integer(0, 0);
  thread_ = std::thread([this] { work(); });
  return {};
}

void PostgresWatch::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (!thread_.joinable()) return;
  thread_.join();
  // So that no other process takes it for dead, or waits for the leases of its jobs.
  if (link_.connected() && run("node-retire", {node_.name})) (void)run("jobs-give-back", {node_.name});
}

void PostgresWatch::watch_jobs(const std::string& kind) {
  const std::lock_guard lock(mutex_);
  kinds_.insert(kind);
}

void PostgresWatch::committed(const CommitNotice& notice) {
  const std::lock_guard lock(mutex_);
  for (const LoggedEvent& event : notice.events) own_events_.insert(event.id);
}

bool PostgresWatch::is_own(int64_t event) {
  const std::lock_guard lock(mutex_);
  return own_events_.count(event) != 0;
}

// The store's writer and readers report that the database is away, so this thread only tries again.
void PostgresWatch::work() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    lock.unlock();
    if (!look()) renewals_ = 0;
    lock.lock();
    wake_.wait_for(lock, std::chrono::milliseconds(kNodeWatchMs), [this] { return stopping_; });
  }
}

Status PostgresWatch::look() {
  PB_TRY(link_.connect());
  PB_TRY(renew());
  PB_TRY(bury_dead());
  CommitNotice notice;
  notice.is_elsewhere = true;
  PB_TRY(find_events(notice));
  PB_TRY(find_jobs(notice));
  if (node_.on_elsewhere && !(notice.events.empty() && notice.jobs.empty()))
    node_.on_elsewhere(std::move(notice));
  return {};
}

Result<int64_t> PostgresWatch::run(const char* name, const Values& values, Rows* rows) {
  auto& prepared = prepared_[name];
  if (!prepared) {
    PB_TRY_VALUE(const StatementId id, statements_.find("core", name));
    prepared = std::make_unique<PostgresStatement>(link_, *clock_, *statements_.get(id), &in_transaction_);
  }
  return prepared->run(values, rows, kMaxResultBytes);
}

Status PostgresWatch::renew() {
  PB_TRY(run("node-renew", {node_.name, node_.epoch, kNodeLeaseMs}));
  ++renewals_;
  return {};
}

// Only after it could renew its own lease for as long as a lease lasts: after the database was away, the
// leases of all nodes have run out, and each needs time to renew its own.
Status PostgresWatch::bury_dead() {
  if (renewals_ * kNodeWatchMs < kNodeLeaseMs) return {};
  std::vector<std::string> dead;
  PB_TRY(link_.send("BEGIN"));
  in_transaction_ = true;
  Status buried = bury_in_transaction(dead);
  in_transaction_ = false;
  if (!link_.connected()) return buried;
  if (auto ended = link_.send(buried ? "COMMIT" : "ROLLBACK"); !ended) return ended;
  if (auto ended = link_.wait(); !ended) return std::move(ended).error();
  if (buried && node_.warn)
    for (const std::string& name : dead)
      node_.warn("the process of " + name +
                 " is dead: its lease in the database has run out; its jobs are free");
  return buried;
}

Status PostgresWatch::bury_in_transaction(std::vector<std::string>& dead) {
  Rows rows;
  PB_TRY(run("nodes-bury", {node_.name}, &rows));
  for (size_t row = 0; row < rows.row_count(); ++row) {
    PB_TRY(run("jobs-give-back-of-epoch", {rows.text(row, 0), rows.integer(row, 1)}));
    dead.emplace_back(rows.text(row, 0));
  }
  return {};
}

// Ids grow in commit order over all processes, so none is missed after the last one seen.
Status PostgresWatch::find_events(CommitNotice& notice) {
  Rows rows;
  PB_TRY(run("events-after", {last_event_, kMaxWatchedEvents}, &rows));
  for (size_t row = 0; row < rows.row_count(); ++row) {
    last_event_ = rows.integer(row, 0);
    if (is_own(last_event_)) continue;
    LoggedEvent& event = notice.events.emplace_back();
    event.id = last_event_;
    event.topic = rows.text(row, 1);
  }
  const std::lock_guard lock(mutex_);
  own_events_.erase(own_events_.begin(), own_events_.upper_bound(last_event_));
  return {};
}

Status PostgresWatch::find_jobs(CommitNotice& notice) {
  std::set<std::string> kinds;
  {
    const std::lock_guard lock(mutex_);
    kinds = kinds_;
  }
  for (const std::string& kind : kinds) {
    Rows rows;
    PB_TRY(run("next-due", {kind}, &rows));
    const int64_t due_ms = rows.is_null(0, 0) ? std::numeric_limits<int64_t>::max() : rows.integer(0, 0);
    const auto [known, is_new] = next_due_.emplace(kind, due_ms);
    const bool is_overdue = due_ms <= (*clock_)();
    if (!is_new && std::exchange(known->second, due_ms) == due_ms && !is_overdue) continue;
    if (due_ms != std::numeric_limits<int64_t>::max()) notice.jobs.push_back({kind, due_ms});
  }
  return {};
}

}  // namespace patchbay::core
