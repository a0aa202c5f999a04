// Events and jobs to announce after a durable commit.
#pragma once

#include <string>
#include <vector>

#include "store/logged_event.h"

namespace patchbay::core {

// A job of this kind is due at due_ms, so that a worker can set a timer.
struct JobNotice {
  std::string kind;
  int64_t due_ms = 0;
};

struct CommitNotice {
  std::vector<LoggedEvent> events;  // in commit order
  std::vector<JobNotice> jobs;
  std::vector<std::string> changed;  // owners whose statements marked `-- notify` changed rows
  // Committed by another process on the same database: the events have only their id and topic, and the jobs
  // are the first of their kind. `changed` is a hint then: it may be missing.
  bool is_elsewhere = false;
};

}  // namespace patchbay::core
