#include "store/writer.h"

#include <new>

namespace patchbay::core {
namespace {

// Beyond this many times the usual size the log waits for readers to let go of it.
constexpr int kWalTooLong = 8;
constexpr int kWaitForReadersMs = 100;

int note_wal_pages(void* pages, sqlite3*, const char*, int count) {
  *static_cast<int*>(pages) = count;
  return SQLITE_OK;
}

}  // namespace

Writer::Writer(Database& db, Session& session, Options options)
    : db_(db), session_(session), options_(std::move(options)) {
  sqlite3_wal_hook(db_.handle(), note_wal_pages, &wal_pages_);
  sqlite3_busy_timeout(db_.handle(), kWaitForReadersMs);
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
  std::lock_guard lock(mutex_);
  if (stopping_) return {Code::gone, "the store is closed"};
  if (queue_.size() >= options_.max_queued) return {Code::exhausted, "too many transactions are waiting"};
  queue_.push_back(std::move(task));
  return {};
}

void Writer::stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

size_t Writer::queued() const {
  std::lock_guard lock(mutex_);
  return queue_.size();
}

void Writer::work() {
  for (;;) {
    Group group = take_group();
    if (group.empty()) break;
    run_group(group);
    maybe_checkpoint();
  }
  checkpoint(SQLITE_CHECKPOINT_TRUNCATE);
}

// All that is queued, up to a limit, in order; a task that runs alone comes alone. Empty: the end.
Writer::Group Writer::take_group() {
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
  Group group;
  while (!queue_.empty() && group.size() < options_.max_group) {
    bool alone = queue_.front()->alone();
    if (alone && !group.empty()) break;
    group.push_back(std::move(queue_.front()));
    queue_.pop_front();
    if (alone) break;
  }
  return group;
}

// A group that was lost as a whole (no room left, usually) is tried again one by one, so that the task which
// asks too much does not fail the others, and one that makes room gets through.
void Writer::run_group(Group& group) {
  std::vector<Status> results(group.size());
  Status committed = group.front()->alone() ? Status() : try_group(group, results);
  if (!committed && group.size() > 1) {
    for (auto& task : group) {
      Group single;
      single.push_back(std::move(task));
      run_group(single);
    }
    return;
  }
  if (group.front()->alone()) {
    results[0] = run_guarded(*group.front());
    session_.roll_back();
  }
  for (size_t i = 0; i < group.size(); ++i) finish(*group[i], committed ? results[i] : committed);
  if (committed) announce();
}

// Returns an error when nothing of the group is on the disk; else each task's own result.
Status Writer::try_group(Group& group, std::vector<Status>& results) {
  auto give_up = [this](Error why) {
    session_.roll_back();
    return Status(std::move(why));
  };
  if (auto begun = session_.begin(); !begun) return give_up(std::move(begun).error());
  for (size_t i = 0; i < group.size(); ++i) {
    if (auto saved = session_.savepoint(); !saved) return give_up(std::move(saved).error());
    results[i] = run_guarded(*group[i]);
    if (session_.lost()) return give_up(results[i] ? Error{Code::failed, "rolled back"} : results[i].error());
    auto ended = results[i] ? session_.release() : session_.undo_savepoint();
    if (!ended) return give_up(std::move(ended).error());
  }
  if (auto done = session_.commit(); !done) return give_up(std::move(done).error());
  ++stats_.commits;
  return {};
}

Status Writer::run_guarded(WriteTask& task) {
  try {
    return task.run(session_);
  } catch (const std::bad_alloc&) {
    return {Code::exhausted, "out of memory"};
  } catch (const std::exception& thrown) {
    return {Code::failed, thrown.what()};
  }
}

void Writer::finish(WriteTask& task, const Status& status) {
  ++(status ? stats_.tasks : stats_.refused);
  try {
    task.finish(status);
  } catch (const std::exception& thrown) {
    if (options_.warn) options_.warn(std::string("a commit's callback threw: ") + thrown.what());
  }
}

void Writer::announce() {
  Announcements announced = session_.take_announcements();
  if (!options_.on_committed || (announced.events.empty() && announced.jobs.empty())) return;
  try {
    options_.on_committed(std::move(announced));
  } catch (const std::exception& thrown) {
    if (options_.warn) options_.warn(std::string("the commit hook threw: ") + thrown.what());
  }
}

void Writer::maybe_checkpoint() {
  if (wal_pages_ < checkpoint_at_) return;
  bool too_long = wal_pages_ > options_.checkpoint_pages * kWalTooLong;
  checkpoint(too_long ? SQLITE_CHECKPOINT_RESTART : SQLITE_CHECKPOINT_PASSIVE);
}

// What cannot be moved now, because of a reader or a full disk, is tried again some pages later.
void Writer::checkpoint(int mode) {
  int log_pages = 0, moved = 0;
  int result = sqlite3_wal_checkpoint_v2(db_.handle(), nullptr, mode, &log_pages, &moved);
  if (result == SQLITE_OK) ++stats_.checkpoints;
  // Once all is moved the next commit begins the log anew; if it cannot, the hook counts on.
  if (result == SQLITE_OK && log_pages == moved) wal_pages_ = 0;
  checkpoint_at_ = wal_pages_ + options_.checkpoint_pages;
}

}  // namespace patchbay::core
