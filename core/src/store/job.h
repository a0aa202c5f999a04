// A durable job: work that is due at a time and survives a restart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace patchbay::core {

// A claimed job. The claim holds until lease_until_ms; then any worker may claim the job with the next fence.
struct Job {
  int64_t id = 0;
  std::string kind, tenant, key;
  int64_t due_ms = 0;          // when it was due
  int64_t lease_until_ms = 0;  // when the claim expires
  int64_t fence = 0;           // passed back in JobDoneOp and JobRetryOp
  int64_t tries = 0;           // number of claims, this one included
  std::string body;
};

}  // namespace patchbay::core
