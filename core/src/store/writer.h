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

#include "store/session.h"

namespace patchbay::core {

// Something to be written. Both functions run on the writer's thread.
class WriteTask {
 public:
  virtual ~WriteTask() = default;
  // In an open transaction; an error undoes this task alone. May run again when the whole group was lost.
  virtual Status run(Session& session) = 0;
  // Once, when it is on the disk or known not to be.
  virtual void finish(const Status& status) = 0;
  // True: runs outside of any transaction and makes its own.
  virtual bool alone() const { return false; }
};

struct WriterStats {
  std::atomic<uint64_t> tasks{0};    // finished well
  std::atomic<uint64_t> refused{0};  // finished with an error
  std::atomic<uint64_t> commits{0};  // groups: each is one fsync
  std::atomic<uint64_t> checkpoints{0};
};

class Writer {
 public:
  struct Options {
    size_t max_group = 256;
    size_t max_queued = 65536;
    int checkpoint_pages = 1000;
    std::function<void(Announcements&&)> on_committed;  // may be empty
    std::function<void(const std::string&)> warn;       // may be empty
  };
  // Borrows the database and the session, which belong to the thread until stop() returns.
  Writer(Database& db, Session& session, Options options);
  ~Writer() { stop(); }

  void start();
  // Any thread, never blocks. Refuses (and finishes the task at once, on this thread) when too much is queued
  // or after stop().
  void post(std::unique_ptr<WriteTask> task);
  // Finishes the queue, then moves the log into the database file. Blocks; not from the writer's own
  // callbacks.
  void stop();

  size_t queued() const;
  const WriterStats& stats() const { return stats_; }

 private:
  using Group = std::vector<std::unique_ptr<WriteTask>>;
  void work();
  Status admit(std::unique_ptr<WriteTask>& task);
  Group take_group();
  void run_group(Group& group);
  Status try_group(Group& group, std::vector<Status>& results);
  Status run_guarded(WriteTask& task);
  void finish(WriteTask& task, const Status& status);
  void announce();
  void checkpoint(int mode);
  void maybe_checkpoint();

  Database& db_;
  Session& session_;
  const Options options_;
  WriterStats stats_;
  int wal_pages_ = 0;
  int checkpoint_at_ = 0;  // pages

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::unique_ptr<WriteTask>> queue_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace patchbay::core
