// The order in which the servers of a location are tried (RFC 2782). Pure.
#pragma once

#include <functional>

#include "dns/dns.h"

namespace patchbay::sip_trunk {

// Servers of a lower priority come first; among those of one priority, the chance of each to be the next is
// proportional to its weight. `random(n)` returns a number from 0 to n. At most kMaxTargets addresses.
Addresses in_order(const Location& location, const std::function<uint32_t(uint32_t)>& random);

}  // namespace patchbay::sip_trunk
