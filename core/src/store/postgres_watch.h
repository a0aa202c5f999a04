// The thread through which a process learns of the others on its PostgreSQL database: renews this node's
// lease, finds the nodes whose lease has run out, looks for events and jobs that others have added, and sends
// and receives hints that an owner's rows have changed. A hint is a NOTIFY after the commit, in a transaction
// of this thread, because one in the business transaction would hold a lock of the whole database at its
// commit.
#pragma once

#include <patchbay/descriptor.h>

#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "store/backend.h"
#include "store/postgres_connection.h"

namespace patchbay::core {

class PostgresWatch {
 public:
  // Borrows the statements; the core's must be registered.
  PostgresWatch(const PostgresFunctions& pq, PostgresLink::Options options,
                std::shared_ptr<const Clock> clock, const StatementRegistry& statements, Backend::Node node);
  ~PostgresWatch() { stop(); }

  // Blocks for a moment, so that no event after it is missed.
  Status start();
  void stop();
  // [any] Jobs of this kind are claimed here.
  void watch_jobs(const std::string& kind);
  // [any] What this process has committed: its events, which it must not announce again, and the owners
  // whose rows have changed, of which the others get a hint.
  void committed(const CommitNotice& notice);

 private:
  using Steady = std::chrono::steady_clock;

  void work();
  bool is_stopping();
  void wake();
  void wait_until(Steady::time_point end);
  // Of the statements from now on, together.
  void limit(int64_t time_ms) { link_.set_deadline(Steady::now() + std::chrono::milliseconds(time_ms)); }
  Status listen();
  Status look();
  Status renew();
  Status bury_dead();
  struct OtherNode {
    std::string name;
    int64_t epoch = 0, lease = 0;
    Steady::time_point renewed{};  // seen at this moment first
  };
  Status bury(const OtherNode& node);
  Result<bool> bury_in_transaction(const OtherNode& node);
  Status find_events(CommitNotice& notice);
  Status find_jobs(CommitNotice& notice);
  Status send_hints();
  Status take_hints();
  bool has_hints();
  Result<int64_t> run(const char* statement, const Values& values, Rows* rows = nullptr);
  bool is_own(int64_t event);

  // borrowed
  const StatementRegistry& statements_;
  // owned; the clock is shared with the store
  const Backend::Node node_;
  const std::shared_ptr<const Clock> clock_;
  PostgresLink link_;
  std::map<std::string, std::unique_ptr<SqlStatement>, std::less<>> prepared_;
  Descriptor wake_;  // an eventfd
  // state of the thread
  bool in_transaction_ = false;
  int64_t last_event_ = 0;
  Steady::time_point renewed_{};             // the lease, the last time
  Steady::time_point steady_since_{};        // no renewal has come late since
  std::vector<OtherNode> others_;            // that are not known to be dead
  std::map<std::string, int64_t> next_due_;  // by kind, as announced last
  uint64_t listening_ = 0;                   // the connection on which LISTEN was sent
  Steady::time_point next_hints_{};          // not before
  // state, guarded by mutex_
  std::mutex mutex_;
  bool stopping_ = false;
  std::set<std::string> kinds_;
  std::set<int64_t> own_events_;  // that the thread has not seen yet
  std::set<std::string> hints_;   // owners of which the other processes are to get a hint
  // owned
  std::thread thread_;  // joined by stop()
};

}  // namespace patchbay::core
