#include "store/writer.h"

#include <cstdlib>
#include <new>

#include "store/limits.h"

namespace patchbay::core {
namespace {

using Steady = std::chrono::steady_clock;

double seconds_since(Steady::time_point begin) {
  return std::chrono::duration<double>(Steady::now() - begin).count();
}

}  // namespace

const observe::Bounds& WriterStats::group_bounds() {
  static const observe::Bounds kBounds = {1, 2, 4, 8, 16, 32, 64, 128, 256};
  return kBounds;
}

Writer::Writer(WriteConnection& connection, WriteSession& session, Options options)
    : connection_(connection), session_(session), options_(std::move(options)) {
  connection_.attach({[this](const std::string& sentence) { warn(sentence); },
                      [this](const std::string& sentence) {
                        if (options_.on_fatal) return options_.on_fatal(sentence);
                        warn(sentence);
                        std::_Exit(EXIT_FAILURE);
                      },
                      [this](const Error& why) { refuse_waiting(why); }});
}

void Writer::start() {
  thread_ = std::thread([this] { work(); });
}

void Writer::post(std::unique_ptr<WriteTask> task) {
  Status admitted = admit(task);
  if (admitted) return wake_.notify_one();
  complete(*task, admitted);
}

// Queues the task or returns why it is refused.
Status Writer::admit(std::unique_ptr<WriteTask>& task) {
  const size_t bytes = task->bytes();
  std::lock_guard lock(mutex_);
  if (stopping_) return {Code::gone, "the store is closed"};
  if (queue_.size() >= options_.max_queued) return {Code::exhausted, "too many transactions are waiting"};
  if (queued_bytes_ + bytes > options_.max_queued_bytes && !queue_.empty())
    return {Code::exhausted, "the waiting transactions are too large"};
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
    if (!all_done_.wait_for(lock, std::chrono::milliseconds(timeout_ms), [this] { return stopped_; })) {
      connection_.cancel();
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
    connection_.after_group();
  }
  connection_.finish();
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  all_done_.notify_all();
}

// Takes the queued tasks in order, up to kMaxGroupTasks; a task that runs alone is a group of one. Empty:
// stop.
Writer::Group Writer::take_group() {
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
  Group group;
  while (!queue_.empty() && group.size() < kMaxGroupTasks) {
    bool alone = queue_.front()->kind() != WriteTask::Kind::grouped;
    if (alone && !group.empty()) break;
    queued_bytes_ -= queue_.front()->bytes();
    group.push_back(std::move(queue_.front()));
    queue_.pop_front();
    if (alone) break;
  }
  return group;
}

// A task that fails must not undo the others of its group, but a savepoint for each task is a large part of
// the work. So a group runs without, and again with savepoints when a task has failed; the next groups have
// them at once, because failures rarely come alone.
bool Writer::takes_savepoints(const Group& group) {
  if (group.size() < 2 || savepoint_groups_left_ == 0) return false;
  --savepoint_groups_left_;
  return true;
}

// When a task takes too long, it fails and the others are attempted again without it. When SQLite rolled back
// the whole group (usually a full disk), its tasks are attempted one by one, so that only the task that needs
// too much space fails, and a delete that frees space succeeds.
void Writer::run_group(Group group) {
  int runs_again = 0;
  bool savepoints = takes_savepoints(group);
  while (!group.empty()) {
    if (connection_.cancelled()) return complete_all(group, Status(Code::gone, "the store is closed"));
    if (group.front()->kind() != WriteTask::Kind::grouped) return run_alone(*group.front());
    Attempt attempt = attempt_group(group, savepoints);
    if (attempt.outcome == Attempt::Outcome::committed) {
      for (size_t i = 0; i < attempt.results.size(); ++i)
        if (attempt.results[i]) group[i]->committed();
      complete_first(group, attempt.results.size(), attempt.results);
      publish_notice();
    } else if (attempt.outcome == Attempt::Outcome::task_failed && group.size() > 1) {
      savepoints = true;
      savepoint_groups_left_ = kSavepointGroups;
    } else if (attempt.outcome == Attempt::Outcome::rolled_back && connection_.may_run_again() &&
               runs_again < kMaxRunsAgain) {
      ++runs_again;
    } else if (attempt.timed_out) {
      complete(*group[attempt.results.size() - 1], attempt.results.back());
      group.erase(group.begin() + static_cast<ptrdiff_t>(attempt.results.size()) - 1);
    } else if (attempt.outcome == Attempt::Outcome::not_begun || group.size() == 1) {
      return complete_all(group, Status(attempt.why));
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
  Status result = run_task(task);
  session_.roll_back();
  complete(task, result);
}

// Runs as many tasks as time allows and commits them, or rolls back all. Without savepoints a task that fails
// ends the attempt.
Writer::Attempt Writer::attempt_group(const Group& group, bool savepoints) {
  Attempt attempt;
  auto fail = [&](Error why) {
    session_.roll_back();
    attempt.why = std::move(why);
    return std::move(attempt);
  };
  const auto start = Steady::now();
  if (auto begun = session_.begin(); !begun) {
    attempt.outcome = Attempt::Outcome::not_begun;
    return fail(std::move(begun).error());
  }
  for (const auto& task : group) {
    Status ready = savepoints ? session_.savepoint() : Status();
    if (!ready) return fail(std::move(ready).error());
    attempt.results.push_back(run_task(*task));
    const Status& result = attempt.results.back();
    const bool rolled_back = session_.rolled_back();
    if (rolled_back || (!result && !savepoints)) {
      attempt.timed_out = !result && result.error().code == Code::timeout;
      if (!rolled_back && !attempt.timed_out) attempt.outcome = Attempt::Outcome::task_failed;
      return fail(result ? Error{Code::failed, "rolled back"} : result.error());
    }
    Status ended = !savepoints ? Status() : result ? session_.release() : session_.undo_savepoints(0);
    if (!ended) return fail(std::move(ended).error());
    if (Steady::now() - start > std::chrono::milliseconds(kMaxGroupTimeMs)) break;
  }
  if (auto done = commit(); !done) return fail(std::move(done).error());
  attempt.outcome = Attempt::Outcome::committed;
  stats_.group_tasks.add(static_cast<double>(attempt.results.size()));
  ++stats_.commits;
  return attempt;
}

Status Writer::run_task(WriteTask& task) {
  const bool migration = task.kind() == WriteTask::Kind::migration;
  connection_.begin_task(migration ? options_.migration_timeout_ms : options_.task_timeout_ms);
  Status status;
  try {
    status = task.run(session_);
  } catch (const std::bad_alloc&) {
    status = {Code::exhausted, "out of memory"};
  } catch (const std::exception& thrown) {
    status = {Code::failed, thrown.what()};
  }
  connection_.end_task();
  if (!status && connection_.expired()) {
    ++stats_.timeouts;
    warn("a transaction took too long and was rolled back: " + status.error().text);
  }
  return status;
}

Status Writer::commit() {
  const auto start = Steady::now();
  Status done = session_.commit();
  stats_.commit_seconds.add(seconds_since(start));
  if (done) return done;
  return connection_.settle(std::move(done).error());
}

// Fails the tasks that are queued now.
void Writer::refuse_waiting(const Error& why) {
  std::deque<std::unique_ptr<WriteTask>> waiting;
  {
    const std::lock_guard lock(mutex_);
    waiting.swap(queue_);
    queued_bytes_ = 0;
  }
  for (const auto& task : waiting) complete(*task, why);
}

void Writer::complete(WriteTask& task, const Status& status) {
  ++(status ? stats_.tasks : stats_.refused);
  try {
    task.complete(status);
  } catch (const std::exception& thrown) {
    warn(std::string("a commit's callback threw: ") + thrown.what());
  }
}

// Completes the first `count` tasks and removes them from the group.
void Writer::complete_first(Group& group, size_t count, const std::vector<Status>& results) {
  for (size_t i = 0; i < count; ++i) complete(*group[i], results[i]);
  group.erase(group.begin(), group.begin() + static_cast<ptrdiff_t>(count));
}

void Writer::complete_all(const Group& group, const Status& status) {
  for (const auto& task : group) complete(*task, status);
}

void Writer::publish_notice() {
  CommitNotice notice = session_.take_commit_notice();
  const bool is_empty = notice.events.empty() && notice.jobs.empty() && notice.changed.empty();
  if (!options_.on_committed || is_empty) return;
  try {
    options_.on_committed(std::move(notice));
  } catch (const std::exception& thrown) {
    warn(std::string("the commit hook threw: ") + thrown.what());
  }
}

void Writer::warn(const std::string& sentence) const {
  if (options_.warn) options_.warn(sentence);
}

}  // namespace patchbay::core
