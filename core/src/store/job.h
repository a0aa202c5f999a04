// Work that is due at a time and survives the process.
#pragma once

#include <cstdint>
#include <string>

namespace patchbay::core {

// A claimed job: ours until lease_until_ms, after which anyone may claim it again with the next fence.
struct Job {
  int64_t id = 0;
  std::string kind, tenant, key;
  int64_t due_ms = 0;          // when it was due
  int64_t lease_until_ms = 0;  // when the claim ends
  int64_t fence = 0;           // to be shown with JobDoneOp and JobRetryOp
  int64_t tries = 0;           // claims so far, this one included
  std::string body;
};

}  // namespace patchbay::core
