#include "store/postgres_watch.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "store/limits.h"
#include "store/postgres_limits.h"

namespace patchbay::core {
namespace {

constexpr const char* kListen = "LISTEN patchbay";
constexpr const char* kNotify = "SELECT pg_notify('patchbay', $1)";

}  // namespace

PostgresWatch::PostgresWatch(const PostgresFunctions& pq, PostgresLink::Options options,
                             std::shared_ptr<const Clock> clock, const StatementRegistry& statements,
                             Backend::Node node)
    : statements_(statements),
      node_(std::move(node)),
      clock_(std::move(clock)),
      link_(pq, std::move(options)) {}

Status PostgresWatch::start() {
  wake_ = Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake_) return {Code::exhausted, "no file descriptor is left for the watch of the database"};
  PB_TRY(link_.connect());
  PB_TRY(listen());
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
  wake();
  if (!thread_.joinable()) return;
  thread_.join();
  limit(kMaxLookMs);
  // So that no other process takes it for dead, or waits for the leases of its jobs.
  if (link_.connected() && run("node-retire", {node_.name})) (void)run("jobs-give-back", {node_.name});
}

void PostgresWatch::watch_jobs(const std::string& kind) {
  const std::lock_guard lock(mutex_);
  kinds_.insert(kind);
}

void PostgresWatch::committed(const CommitNotice& notice) {
  {
    const std::lock_guard lock(mutex_);
    for (const LoggedEvent& event : notice.events) own_events_.insert(event.id);
    hints_.insert(notice.changed.begin(), notice.changed.end());
  }
  if (!notice.changed.empty()) wake();
}

bool PostgresWatch::is_own(int64_t event) {
  const std::lock_guard lock(mutex_);
  return own_events_.count(event) != 0;
}

// The store's writer and readers report that the database is away, so this thread only tries again.
void PostgresWatch::work() {
  for (auto next_look = Steady::now(); !is_stopping();) {
    if (const auto now = Steady::now(); now >= next_look) {
      static_cast<void>(look());
      next_look = now + std::chrono::milliseconds(kNodeWatchMs);
    }
    // A lost hint is harmless, because plugins also poll their revisions.
    static_cast<void>(send_hints());
    static_cast<void>(take_hints());
    wait_until(has_hints() ? std::min(next_look, next_hints_) : next_look);
  }
}

bool PostgresWatch::is_stopping() {
  const std::lock_guard lock(mutex_);
  return stopping_;
}

// Fails only when a wake-up is pending already.
void PostgresWatch::wake() {
  const uint64_t one = 1;
  static_cast<void>(!::write(wake_.get(), &one, sizeof one));
}

// Also ends when the server has sent something.
void PostgresWatch::wait_until(Steady::time_point end) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Steady::now()).count();
  pollfd waits[] = {{wake_.get(), POLLIN, 0}, {link_.socket(), POLLIN, 0}};  // poll() ignores -1
  if (::poll(waits, std::size(waits), static_cast<int>(std::max<int64_t>(left, 0))) <= 0) return;
  uint64_t count = 0;
  static_cast<void>(!::read(wake_.get(), &count, sizeof count));
}

// A server that refuses LISTEN, as some poolers do, is used without hints.
Status PostgresWatch::listen() {
  if (listening_ == link_.generation()) return {};
  PB_TRY(link_.send(kListen));
  auto listens = link_.wait();
  if (!listens && (!link_.connected() || listens.error().code == Code::timeout))
    return std::move(listens).error();
  listening_ = link_.generation();
  return {};
}

Status PostgresWatch::look() {
  PB_TRY(link_.connect());
  limit(kMaxRenewalMs);
  PB_TRY(renew());
  limit(kMaxLookMs);
  PB_TRY(listen());
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
  const auto now = Steady::now();
  if (now - renewed_ > std::chrono::milliseconds(kMaxRenewalGapMs)) steady_since_ = now;
  renewed_ = now;
  return {};
}

// A node is dead when this process, by its own clock, has seen no renewal for about as long as a lease lasts,
// and could itself renew in time: the clock of the database may be set, and after it was away or stood still
// each node needs time to renew its own lease.
Status PostgresWatch::bury_dead() {
  Rows rows;
  PB_TRY(run("nodes-live", {node_.name}, &rows));
  std::vector<OtherNode> others;
  for (size_t row = 0; row < rows.row_count(); ++row) {
    OtherNode& node = others.emplace_back(
        OtherNode{std::string(rows.text(row, 0)), rows.integer(row, 1), rows.integer(row, 2), renewed_});
    for (const OtherNode& before : others_)
      if (before.name == node.name && before.epoch == node.epoch && before.lease == node.lease)
        node.renewed = before.renewed;
  }
  others_ = std::move(others);
  for (const OtherNode& node : others_)
    if (renewed_ - std::max(node.renewed, steady_since_) >= std::chrono::milliseconds(kMaxNodeSilenceMs))
      PB_TRY(bury(node));
  return {};
}

Status PostgresWatch::bury(const OtherNode& node) {
  PB_TRY(link_.send("BEGIN"));
  in_transaction_ = true;
  auto buried = bury_in_transaction(node);
  in_transaction_ = false;
  if (!link_.connected()) return buried ? Status() : std::move(buried).error();
  if (!buried) limit(kMaxLookMs);  // otherwise the ROLLBACK would be cancelled, too
  if (auto ended = link_.send(buried ? "COMMIT" : "ROLLBACK"); !ended) return ended;
  if (auto ended = link_.wait(); !ended) return std::move(ended).error();
  if (!buried) return std::move(buried).error();
  if (*buried && node_.warn)
    node_.warn("the process of " + node.name +
               " is dead: it has not renewed its lease in the database; its jobs are free");
  return {};
}

Result<bool> PostgresWatch::bury_in_transaction(const OtherNode& node) {
  PB_TRY_VALUE(const int64_t buried, run("node-bury", {node.name, node.epoch, node.lease}));
  if (buried == 0) return false;
  PB_TRY(run("jobs-give-back-of-epoch", {node.name, node.epoch}));
  return true;
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

bool PostgresWatch::has_hints() {
  const std::lock_guard lock(mutex_);
  return link_.connected() && !hints_.empty();
}

Status PostgresWatch::send_hints() {
  if (!has_hints() || Steady::now() < next_hints_) return {};
  std::set<std::string> owners;
  {
    const std::lock_guard lock(mutex_);
    owners.swap(hints_);
  }
  next_hints_ = Steady::now() + std::chrono::milliseconds(kMinHintMs);
  for (const std::string& owner : owners) PB_TRY(link_.send(kNotify, {node_.name + ' ' + owner}));
  // The commit of a NOTIFY waits for a lock of the whole server.
  limit(kMaxHintWaitMs);
  if (auto sent = link_.wait(); !sent) return std::move(sent).error();
  return {};
}

// PostgreSQL sends a process its own notifications, too.
Status PostgresWatch::take_hints() {
  PB_TRY_VALUE(const std::vector<std::string> payloads, link_.take_notifications());
  std::set<std::string> owners;
  for (const std::string& payload : payloads) {
    const size_t blank = payload.rfind(' ');
    if (blank != std::string::npos && payload.compare(0, blank, node_.name) != 0)
      owners.insert(payload.substr(blank + 1));
  }
  if (owners.empty() || !node_.on_elsewhere) return {};
  CommitNotice notice;
  notice.is_elsewhere = true;
  notice.changed.assign(owners.begin(), owners.end());
  node_.on_elsewhere(std::move(notice));
  return {};
}

// One statement for all kinds, however many this process claims, because the lease is renewed between looks.
Status PostgresWatch::find_jobs(CommitNotice& notice) {
  std::set<std::string> kinds;
  {
    const std::lock_guard lock(mutex_);
    kinds = kinds_;
  }
  if (kinds.empty()) return {};
  Rows rows;
  PB_TRY(run("next-due-of-kinds", {}, &rows));
  std::map<std::string_view, int64_t> first_due;
  for (size_t row = 0; row < rows.row_count(); ++row)
    if (!rows.is_null(row, 1)) first_due[rows.text(row, 0)] = rows.integer(row, 1);
  for (const std::string& kind : kinds) {
    const auto found = first_due.find(kind);
    const int64_t due_ms = found == first_due.end() ? std::numeric_limits<int64_t>::max() : found->second;
    const auto [known, is_new] = next_due_.emplace(kind, due_ms);
    const bool is_overdue = due_ms <= (*clock_)();
    if (!is_new && std::exchange(known->second, due_ms) == due_ms && !is_overdue) continue;
    if (due_ms != std::numeric_limits<int64_t>::max()) notice.jobs.push_back({kind, due_ms});
  }
  return {};
}

}  // namespace patchbay::core
