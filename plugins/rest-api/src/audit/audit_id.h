// AuditIds: ids of audit records, whose order is that of time. On one strand.
#pragma once

#include <patchbay/result.h>

#include <cstdint>
#include <string>

namespace patchbay::rest_api {

// The first of all ids of that millisecond and later ones; times before 1970 count as 1970.
std::string first_audit_id(int64_t time_ms);

class AuditIds {
 public:
  // Ids of one process increase as long as the clock does not go back, also within a millisecond. Error: the
  // system has no random numbers.
  Result<std::string> next(int64_t time_ms);

 private:
  int64_t last_ms_ = 0;
  uint32_t count_ = 0;  // of ids within last_ms_
};

}  // namespace patchbay::rest_api
