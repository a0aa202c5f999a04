// The hosts of a trunk as queries for their addresses. Pure.
#pragma once

#include <vector>

#include "dns/dns.h"
#include "stack/sip_types.h"

namespace patchbay::sip_trunk {

// In the order in which they are tried.
inline std::vector<HostQuery> queries_of(const TrunkAccess& trunk, int family) {
  std::vector<HostQuery> queries;
  const auto add = [&](const std::string& name, uint16_t port) {
    HostQuery query{name, port, trunk.transport, family, false};
    if (trunk.is_transport_open && port == 0) {
      query.transport.reset();
      query.may_use_tls = trunk.may_use_tls;
    }
    queries.push_back(std::move(query));
  };
  add(trunk.host, trunk.port);
  for (const TrunkHost& other : trunk.other_hosts) add(other.name, other.port);
  return queries;
}

}  // namespace patchbay::sip_trunk
