// The one thread that writes. It takes what is queued, runs each task in a savepoint, commits all with one
// fsync, and checkpoints between. Nothing else opens the file for writing.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "observe/metrics.h"
#include "store/write_limits.h"
#include "store/write_session.h"

namespace patchbay::core {

// Something to be written. All but bytes() runs on the writer's thread.
class WriteTask {
 public:
  enum class Kind {
    grouped,    // in a transaction with its neighbours
    alone,      // outside of any transaction; makes its own
    migration,  // the same, and may take longer
  };

  virtual ~WriteTask() = default;
  // An error undoes this task alone. May run again when the whole group was lost.
  virtual Status run(WriteSession& session) = 0;
  // Once, when it is on the disk or known not to be.
  virtual void finish(const Status& status) = 0;
  virtual Kind kind() const { return Kind::grouped; }
  // What it keeps in memory while it waits.
  virtual size_t bytes() const { return 0; }
};

struct WriterStats {
  std::atomic<uint64_t> tasks{0};     // finished well
  std::atomic<uint64_t> refused{0};   // finished with an error
  std::atomic<uint64_t> timeouts{0};  // of those: ended because they took too long
  std::atomic<uint64_t> commits{0};   // groups: each is one fsync
  std::atomic<uint64_t> doubtful{0};  // commits that failed in a way that a restart could have undone
  std::atomic<uint64_t> checkpoints{0};
  std::atomic<uint64_t> failed_checkpoints{0};
  std::atomic<int> wal_pages{0};
  observe::Series group_tasks{observe::Kind::histogram, &group_bounds()};
  observe::Series commit_seconds{observe::Kind::histogram, &observe::seconds_bounds()};

  static const observe::Bounds& group_bounds();
};

class Writer {
 public:
  struct Options {
    size_t max_group = 256;
    size_t max_queued = 65536;
    size_t max_queued_bytes = size_t{256} << 20;
    int checkpoint_pages = 1000;
    int64_t task_timeout_ms = 5'000;
    int64_t migration_timeout_ms = 600'000;
    int64_t lock_timeout_ms = 10'000;                  // for a lock that another process holds
    std::function<void(CommitNotice&&)> on_committed;  // may be empty
    std::function<void(const std::string&)> warn;      // may be empty
    std::function<void(const std::string&)> on_fatal;  // ends the process; empty: warns and does so
  };
  // Borrows the database and the session, which belong to the thread until stop() returns.
  Writer(Database& db, WriteSession& session, Options options);
  ~Writer() { stop(0); }

  void start();
  // Any thread, never blocks. Refuses (and finishes the task at once, on this thread) when too much is queued
  // or after stop().
  void post(std::unique_ptr<WriteTask> task);
  // Finishes the queue, then moves the log into the database file. Blocks; not from the writer's own
  // callbacks. After `timeout_ms` it ends the statement that runs and refuses what is left.
  void stop(int64_t timeout_ms);

  size_t queued() const;
  size_t queued_bytes() const;
  uint64_t lock_waits() const { return limits_.lock_waits(); }
  const WriterStats& stats() const { return stats_; }

 private:
  using Group = std::vector<std::unique_ptr<WriteTask>>;
  // What one try to commit a group came to.
  struct Try {
    enum class Outcome { committed, not_begun, lost } outcome = Outcome::lost;
    std::vector<Status> results;  // of the tasks that ran
    Error why = {};               // unless committed
    bool timed_out = false;       // lost, because the last task that ran took too long
  };

  void work();
  Status admit(std::unique_ptr<WriteTask>& task);
  Group take_group();
  void run_group(Group group);
  void run_alone(WriteTask& task);
  Try try_group(const Group& group);
  Status run_guarded(WriteTask& task);
  Status commit();
  void resolve_uncertain_commit();
  void finish(WriteTask& task, const Status& status);
  void finish_first(Group& group, size_t count, const std::vector<Status>& results);
  void finish_all(const Group& group, const Status& status);
  void announce();
  void checkpoint(int mode);
  void maybe_checkpoint();
  void warn(const std::string& sentence) const;

  Database& db_;
  WriteSession& session_;
  const Options options_;
  WriterStats stats_;
  WriteLimits limits_;
  int wal_pages_ = 0;
  int checkpoint_at_ = 0;  // pages

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable ended_;
  std::deque<std::unique_ptr<WriteTask>> queue_;
  size_t queued_bytes_ = 0;
  bool stopping_ = false;
  bool at_end_ = false;
  std::thread thread_;
};

}  // namespace patchbay::core
