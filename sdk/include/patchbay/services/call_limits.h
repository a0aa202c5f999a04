// patchbay.call_limits: the limits of a tenant for outgoing calls, as the plugin that schedules calls applies
// them. Provided by ai-voice. Maturity: experimental.
#pragma once

#include <string>

#include "../service.h"

namespace patchbay::call_limits {

struct Question {
  std::string tenant;
  PATCHBAY_FIELDS(tenant)
};

struct Reached {
  std::string limit;  // that makes another call wait now: "maxConcurrentCalls (30) of the tenant"; "": none
  int64_t retry_ms = 0;  // when it may start; 0: when a call has ended
  PATCHBAY_FIELDS(limit, retry_ms)
};

// Thread: runs on the provider's main strand, answers on the strand of the caller.
// Lifetime: the reply is a copy, and true at that moment only.
// Since: 0.1
struct CallLimits {
  static constexpr char id[] = "patchbay.call_limits/1";
  // Returns the limit of the tenant, or of the server for all tenants, that a call to be dialled now has
  // reached. Takes nothing. Code::not_found: there is no such tenant.
  static constexpr Method<0, Question, Reached> reached{"reached"};
  static constexpr auto methods() { return std::make_tuple(reached); }
};

}  // namespace patchbay::call_limits
