// A record of the durable event log.
#pragma once

#include <cstdint>
#include <string>

namespace patchbay::core {

struct LoggedEvent {
  int64_t id = 0;  // grows in commit order; id >> 20 is the time in ms, unless the clock went back
  std::string topic, tenant;
  int64_t tenant_seq = 0;  // 1, 2, 3, ... per tenant, in commit order, without gaps
  std::string subject, correlation;
  int64_t ts_ms = 0;
  std::string payload;  // JSON, forwarded unchanged
};

}  // namespace patchbay::core
