// A page of one tenant's event log.
#pragma once

#include <cstdint>
#include <vector>

#include "store/logged_event.h"

namespace patchbay::core {

struct TenantLog {
  std::vector<LoggedEvent> events;  // numbered from `after` + 1 on, without a gap; none when oldest > after
  int64_t oldest = 0;               // the log has no gap after this number
  int64_t newest = 0;               // the last number given, also when retention has removed its event
};

// `rows`: what event-log-of-tenant returned for `after`. Retention removes events by their time, and not
// those that are pending, so gaps may be anywhere: the page ends before the first one.
TenantLog tenant_log(std::vector<LoggedEvent> rows, int64_t after);

}  // namespace patchbay::core
