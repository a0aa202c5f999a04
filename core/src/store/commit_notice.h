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
};

}  // namespace patchbay::core
