#include "store/writer.h"

#include <cstdlib>
#include <new>

namespace patchbay::core {
namespace {

using Steady = std::chrono::steady_clock;

// Beyond this many times the usual size the log waits for readers to let go of it.
constexpr int kMaxWalFactor = 8;
constexpr int64_t kCheckpointLockWaitMs = 100;
// A group that has run this long is committed without the rest of it.
constexpr std::chrono::milliseconds kMaxGroupTime(500);
constexpr int kMaxOverwriteTries = 10;
constexpr std::chrono::milliseconds kOverwriteRetryDelay(100);

int note_wal_pages(void* pages, sqlite3*, const char*, int count) {
  *static_cast<int*>(pages) = count;
  return SQLITE_OK;
}

double seconds_since(Steady::time_point begin) {
  return std::chrono::duration<double>(Steady::now() - begin).count();
}

}  // namespace

const observe::Bounds& WriterStats::group_bounds() {
  static const observe::Bounds kBounds = {1, 2, 4, 8, 16, 32, 64, 128, 256};
  return kBounds;
}

Writer::Writer(Database& db, WriteSession& session, Options options)
    : db_(db), session_(session), options_(std::move(options)) {
  sqlite3_wal_hook(db_.handle(), note_wal_pages, &wal_pages_);
  limits_.install(db_.handle());
  limits_.wait_for_locks(options_.lock_timeout_ms);
  checkpoint_at_ = options_.checkpoint_pages;
}

void Writer::start() {
  thread_ = std::thread([this] { work(); });
}

void Writer::post(std::unique_ptr<WriteTask> task) {
  Status admitted = admit(task);
  if (admitted) return wake_.notify_one();
  finish(*task, admitted);
}

// Takes the task, or says why not.
Status Writer::admit(std::unique_ptr<WriteTask>& task) {
  const size_t bytes = task->bytes();
  std::lock_guard lock(mutex_);
  if (stopping_) return {Code::gone, "the store is closed"};
  if (queue_.size() >= options_.max_queued) return {Code::exhausted, "too many transactions are waiting"};
  if (queued_bytes_ + bytes > options_.max_queued_bytes && !queue_.empty())
    return {Code::exhausted, "the transactions that are waiting are too large"};
  queued_bytes_ += bytes;
  queue_.push_back(std::move(task));
  return {};
}

void Writer::stop(int64_t timeout_ms) {
  {
    std::unique_lock lock(mutex_);
    stopping_ = true;
    wake_.notify_one();
    if (!thread_.joinable()) return;
    if (!ended_.wait_for(lock, std::chrono::milliseconds(timeout_ms), [this] { return at_end_; })) {
      limits_.give_up();
    }
  }
  thread_.join();
}

size_t Writer::queued() const {
  std::lock_guard lock(mutex_);
  return queue_.size();
}

size_t Writer::queued_bytes() const {
  std::lock_guard lock(mutex_);
  return queued_bytes_;
}

void Writer::work() {
  for (;;) {
    Group group = take_group();
    if (group.empty()) break;
    run_group(std::move(group));
    maybe_checkpoint();
  }
  if (!limits_.given_up()) checkpoint(SQLITE_CHECKPOINT_TRUNCATE);
  const std::lock_guard lock(mutex_);
  at_end_ = true;
  ended_.notify_all();
}

// All that is queued, up to a limit, in order; a task that runs alone comes alone. Empty: the end.
Writer::Group Writer::take_group() {
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
  Group group;
  while (!queue_.empty() && group.size() < options_.max_group) {
    bool alone = queue_.front()->kind() != WriteTask::Kind::grouped;
    if (alone && !group.empty()) break;
    queued_bytes_ -= queue_.front()->bytes();
    group.push_back(std::move(queue_.front()));
    queue_.pop_front();
    if (alone) break;
  }
  return group;
}

// A task that takes too long fails, and the others are tried again without it. A group that was lost as a
// whole (no room left, usually) is tried again one by one, so that the task which asks too much does not fail
// the others, and one that makes room gets through.
void Writer::run_group(Group group) {
  while (!group.empty()) {
    if (limits_.given_up()) return finish_all(group, Status(Code::gone, "the store is closed"));
    if (group.front()->kind() != WriteTask::Kind::grouped) return run_alone(*group.front());
    Try tried = try_group(group);
    if (tried.outcome == Try::Outcome::committed) {
      finish_first(group, tried.results.size(), tried.results);
      announce();
    } else if (tried.timed_out) {
      finish(*group[tried.results.size() - 1], tried.results.back());
      group.erase(group.begin() + static_cast<ptrdiff_t>(tried.results.size()) - 1);
    } else if (tried.outcome == Try::Outcome::not_begun || group.size() == 1) {
      return finish_all(group, Status(tried.why));
    } else {
      for (auto& task : group) {
        Group single;
        single.push_back(std::move(task));
        run_group(std::move(single));
      }
      return;
    }
  }
}

void Writer::run_alone(WriteTask& task) {
  Status result = run_guarded(task);
  session_.roll_back();
  finish(task, result);
}

// Runs as many tasks as time allows and commits them, or none.
Writer::Try Writer::try_group(const Group& group) {
  Try tried;
  auto give_up = [&](Error why) {
    session_.roll_back();
    tried.why = std::move(why);
    return std::move(tried);
  };
  const auto begun_at = Steady::now();
  if (auto begun = session_.begin(); !begun) {
    tried.outcome = Try::Outcome::not_begun;
    return give_up(std::move(begun).error());
  }
  for (const auto& task : group) {
    if (auto saved = session_.savepoint(); !saved) return give_up(std::move(saved).error());
    tried.results.push_back(run_guarded(*task));
    const Status& result = tried.results.back();
    if (session_.lost()) {
      tried.timed_out = !result && result.error().code == Code::timeout;
      return give_up(result ? Error{Code::failed, "rolled back"} : result.error());
    }
    auto ended = result ? session_.release() : session_.undo_savepoint();
    if (!ended) return give_up(std::move(ended).error());
    if (Steady::now() - begun_at > kMaxGroupTime) break;
  }
  if (auto done = commit(); !done) return give_up(std::move(done).error());
  tried.outcome = Try::Outcome::committed;
  stats_.group_tasks.add(static_cast<double>(tried.results.size()));
  ++stats_.commits;
  return tried;
}

Status Writer::run_guarded(WriteTask& task) {
  const bool long_one = task.kind() == WriteTask::Kind::migration;
  limits_.begin_task(long_one ? options_.migration_timeout_ms : options_.task_timeout_ms);
  Status status;
  try {
    status = task.run(session_);
  } catch (const std::bad_alloc&) {
    status = {Code::exhausted, "out of memory"};
  } catch (const std::exception& thrown) {
    status = {Code::failed, thrown.what()};
  }
  limits_.end_task();
  if (!status && limits_.expired()) {
    ++stats_.timeouts;
    warn("a write was ended because it took too long, and undone: " + status.error().text);
  }
  return status;
}

Status Writer::commit() {
  const auto begun_at = Steady::now();
  Status done = session_.commit();
  stats_.commit_seconds.add(seconds_since(begun_at));
  if (!done && db_.may_have_committed()) resolve_uncertain_commit();
  return done;
}

// A commit whose fsync failed stands in the log with its mark, and the next start would find it: nobody may
// hear that it did not happen before another commit stands in its place. When that cannot be had, only the
// next start can tell, so there has to be one.
void Writer::resolve_uncertain_commit() {
  ++stats_.doubtful;
  session_.roll_back();
  Status overwritten;
  for (int i = 0; i < kMaxOverwriteTries; ++i) {
    if (i > 0) std::this_thread::sleep_for(kOverwriteRetryDelay);
    overwritten = session_.overwrite_wal_tail();
    if (overwritten) return warn("a commit could not be synced to the disk and was undone");
  }
  const std::string sentence =
      "the disk does not take the store's log any more (" + overwritten.error().text + "): ending";
  if (options_.on_fatal) return options_.on_fatal(sentence);
  warn(sentence);
  std::_Exit(EXIT_FAILURE);
}

void Writer::finish(WriteTask& task, const Status& status) {
  ++(status ? stats_.tasks : stats_.refused);
  try {
    task.finish(status);
  } catch (const std::exception& thrown) {
    warn(std::string("a commit's callback threw: ") + thrown.what());
  }
}

// Takes them out of the group.
void Writer::finish_first(Group& group, size_t count, const std::vector<Status>& results) {
  for (size_t i = 0; i < count; ++i) finish(*group[i], results[i]);
  group.erase(group.begin(), group.begin() + static_cast<ptrdiff_t>(count));
}

void Writer::finish_all(const Group& group, const Status& status) {
  for (const auto& task : group) finish(*task, status);
}

void Writer::announce() {
  CommitNotice announced = session_.take_notice();
  if (!options_.on_committed || (announced.events.empty() && announced.jobs.empty())) return;
  try {
    options_.on_committed(std::move(announced));
  } catch (const std::exception& thrown) {
    warn(std::string("the commit hook threw: ") + thrown.what());
  }
}

void Writer::maybe_checkpoint() {
  stats_.wal_pages.store(wal_pages_, std::memory_order_relaxed);
  if (wal_pages_ < checkpoint_at_) return;
  bool too_long = wal_pages_ > options_.checkpoint_pages * kMaxWalFactor;
  checkpoint(too_long ? SQLITE_CHECKPOINT_RESTART : SQLITE_CHECKPOINT_PASSIVE);
}

// What cannot be moved now, because of a reader or a full disk, is tried again some pages later.
void Writer::checkpoint(int mode) {
  int log_pages = 0, moved = 0;
  limits_.wait_for_locks(kCheckpointLockWaitMs);
  int result = sqlite3_wal_checkpoint_v2(db_.handle(), nullptr, mode, &log_pages, &moved);
  limits_.wait_for_locks(options_.lock_timeout_ms);
  ++(result == SQLITE_OK ? stats_.checkpoints : stats_.failed_checkpoints);
  // Once all is moved the next commit begins the log anew; if it cannot, the hook counts on.
  if (result == SQLITE_OK && log_pages == moved) wal_pages_ = 0;
  checkpoint_at_ = wal_pages_ + options_.checkpoint_pages;
  stats_.wal_pages.store(wal_pages_, std::memory_order_relaxed);
}

void Writer::warn(const std::string& sentence) const {
  if (options_.warn) options_.warn(sentence);
}

}  // namespace patchbay::core
