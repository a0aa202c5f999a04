// Work that is due at a time and survives the process.
#pragma once

#include <cstddef>
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

inline constexpr int64_t kMaxLeaseMs = int64_t{24} * 3600 * 1000;
inline constexpr size_t kMaxClaimedBytes = size_t{16} << 20;  // of one claim, but always one job

}  // namespace patchbay::core
