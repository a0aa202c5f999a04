// The thread through which a process hears of the others on its PostgreSQL database: renews this node's
// lease, finds the nodes whose lease has run out, and looks for events and jobs that others have added.
#pragma once

#include <condition_variable>
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
  // [any] Events that this process has committed, which it needs not hear of.
  void committed(const CommitNotice& notice);

 private:
  void work();
  Status look();
  Status renew();
  Status bury_dead();
  Status bury_in_transaction(std::vector<std::string>& dead);
  Status find_events(CommitNotice& notice);
  Status find_jobs(CommitNotice& notice);
  Result<int64_t> run(const char* statement, const Values& values, Rows* rows = nullptr);
  bool is_own(int64_t event);

  // borrowed
  const StatementRegistry& statements_;
  // owned; the clock is shared with the store
  const Backend::Node node_;
  const std::shared_ptr<const Clock> clock_;
  PostgresLink link_;
  std::map<std::string, std::unique_ptr<SqlStatement>, std::less<>> prepared_;
  // state of the thread
  bool in_transaction_ = false;
  int64_t last_event_ = 0;
  int renewals_ = 0;                         // without a failure in between
  std::map<std::string, int64_t> next_due_;  // by kind, as announced last
  // state, guarded by mutex_
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::set<std::string> kinds_;
  std::set<int64_t> own_events_;  // that the thread has not seen yet
  // owned
  std::thread thread_;  // joined by stop()
};

}  // namespace patchbay::core
