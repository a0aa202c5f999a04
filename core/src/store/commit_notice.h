// What a commit tells the rest of the house once it is on the disk.
#pragma once

#include <string>
#include <vector>

#include "store/event.h"

namespace patchbay::core {

// A job of this kind is due at that time: somebody may want to set a timer.
struct JobNotice {
  std::string kind;
  int64_t due_ms = 0;
};

struct CommitNotice {
  std::vector<LoggedEvent> events;  // in commit order
  std::vector<JobNotice> jobs;
};

}  // namespace patchbay::core
