#include "store/tenant_log.h"

#include <algorithm>
#include <utility>

namespace patchbay::core {

TenantLog tenant_log(std::vector<LoggedEvent> rows, int64_t after) {
  TenantLog log;
  int64_t first_held = 0;
  for (LoggedEvent& row : rows) {
    if (row.id == 0) {
      log.newest = row.tenant_seq;
      first_held = row.ts_ms;
    } else {
      log.events.push_back(std::move(row));
    }
  }
  log.oldest = first_held > 0 ? first_held - 1 : log.newest;
  const int64_t next = log.events.empty() ? log.newest + 1 : log.events.front().tenant_seq;
  if (next > after + 1) {
    log.oldest = next - 1;
    log.events.clear();
    return log;
  }
  int64_t expected = after + 1;
  const auto gap = std::find_if(log.events.begin(), log.events.end(),
                                [&](const LoggedEvent& event) { return event.tenant_seq != expected++; });
  log.events.erase(gap, log.events.end());
  return log;
}

}  // namespace patchbay::core
