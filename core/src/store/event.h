// What the event log holds and hands out.
#pragma once

#include <cstdint>
#include <string>

namespace patchbay::core {

struct LoggedEvent {
  int64_t id = 0;  // grows with time and commit order; the milliseconds are id >> 20
  std::string topic, tenant;
  int64_t tenant_seq = 0;  // 1, 2, 3, ... per tenant, in commit order, without gaps
  std::string subject, correlation;
  int64_t ts_ms = 0;
  std::string payload;  // JSON, forwarded as it is
};

}  // namespace patchbay::core
