// The one thread that writes. It takes the queued tasks as a group and commits the group with one fsync. The
// tasks run in savepoints only after one of a group has failed. No other connection of this process writes to
// the database.
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
#include "store/sql_connection.h"
#include "store/write_session.h"

namespace patchbay::core {

// A unit of work for the writer. All functions but bytes() run on the writer's thread.
class WriteTask {
 public:
  enum class Kind {
    grouped,    // in one transaction with other tasks
    alone,      // outside any transaction; may begin its own
    migration,  // like alone, with a longer time limit
  };

  virtual ~WriteTask() = default;
  // An error rolls back only this task. Runs again when another task of its group failed, or when the
  // database rolled the group back.
  virtual Status run(WriteSession& session) = 0;
  // Called when the task is durable, for all tasks of its group before the first of them is complete.
  virtual void committed() {}
  // Called once, when the task is durable or has failed for good.
  virtual void complete(const Status& status) = 0;
  virtual Kind kind() const { return Kind::grouped; }
  // Memory that the task uses while it is queued.
  virtual size_t bytes() const { return 0; }
};

struct WriterStats {
  std::atomic<uint64_t> tasks{0};     // succeeded
  std::atomic<uint64_t> refused{0};   // failed
  std::atomic<uint64_t> timeouts{0};  // of the failed: interrupted because they took too long
  std::atomic<uint64_t> commits{0};   // group commits, one fsync each
  observe::Series group_tasks{observe::Kind::histogram, &group_bounds()};
  observe::Series commit_seconds{observe::Kind::histogram, &observe::seconds_bounds()};

  static const observe::Bounds& group_bounds();
};

class Writer {
 public:
  struct Options {
    size_t max_queued = 0;
    size_t max_queued_bytes = 0;
    int64_t task_timeout_ms = 0;
    int64_t migration_timeout_ms = 0;
    std::function<void(CommitNotice&&)> on_committed;  // may be empty
    std::function<void(const std::string&)> warn;      // may be empty
    std::function<void(const std::string&)> on_fatal;  // empty: warns and exits the process
  };
  // Borrows the connection and the session, which only the writer's thread may use until stop() returns.
  Writer(WriteConnection& connection, WriteSession& session, Options options);
  ~Writer() { stop(0); }

  void start();
  // [any] Queues a task; never blocks. When too much is queued, or after stop(), completes it with an error
  // on the caller's thread.
  void post(std::unique_ptr<WriteTask> task);
  // Runs the queued tasks, lets the connection finish and joins the thread. After
  // `timeout_ms` it interrupts the running statement and refuses the other tasks. Blocks; must not be called
  // from the writer's callbacks.
  void stop(int64_t timeout_ms);

  size_t queued() const;
  size_t queued_bytes() const;
  const WriterStats& stats() const { return stats_; }

 private:
  using Group = std::vector<std::unique_ptr<WriteTask>>;
  // Result of one attempt to commit a group.
  struct Attempt {
    // task_failed: rolled back, because the last task that ran failed and had no savepoint.
    enum class Outcome { committed, not_begun, rolled_back, task_failed } outcome = Outcome::rolled_back;
    std::vector<Status> results;  // of the tasks that ran
    Error why = {};               // unless committed
    bool timed_out = false;       // rolled back, because the last task that ran took too long
  };

  void work();
  Status admit(std::unique_ptr<WriteTask>& task);
  Group take_group();
  void run_group(Group group);
  void run_alone(WriteTask& task);
  bool takes_savepoints(const Group& group);
  Attempt attempt_group(const Group& group, bool savepoints);
  Status run_task(WriteTask& task);
  Status commit();
  void complete(WriteTask& task, const Status& status);
  void complete_first(Group& group, size_t count, const std::vector<Status>& results);
  void complete_all(const Group& group, const Status& status);
  void publish_notice();
  void refuse_waiting(const Error& why);
  void warn(const std::string& sentence) const;

  // borrowed
  WriteConnection& connection_;
  WriteSession& session_;
  // owned
  const Options options_;
  // state of the writer's thread; the statistics are atomic
  WriterStats stats_;
  int savepoint_groups_left_ = 0;  // so many groups get savepoints, because a task failed lately
  // state, guarded by mutex_
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable all_done_;
  std::deque<std::unique_ptr<WriteTask>> queue_;
  size_t queued_bytes_ = 0;
  bool stopping_ = false;
  bool stopped_ = false;
  // owned
  std::thread thread_;  // joined by stop()
};

}  // namespace patchbay::core
