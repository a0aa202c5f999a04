// Finds the servers of a SIP host (RFC 3263 section 4): NAPTR chooses the transport, SRV the hosts and ports,
// A or AAAA the addresses. No I/O but the queries.
#pragma once

#include "dns/dns.h"

namespace patchbay::sip_trunk {

// The location of a numeric host, which needs no queries; none for a name.
std::optional<Location> numeric_location(const HostQuery& query);

// A numeric host, one with a port, and a name in the file of hosts have no SRV records. Without `transport`
// those are reached by UDP. Code::unavailable: no address, or no answer; the text says why.
Result<Location> locate(Dns& dns, const HostQuery& query);

}  // namespace patchbay::sip_trunk
