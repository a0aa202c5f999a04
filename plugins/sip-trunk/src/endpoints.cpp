#include "endpoints.h"

#include "ladder/ladder_route.h"

namespace patchbay::sip_trunk {

Endpoints::Endpoints(const Host& host, const Settings& settings, RouteTables& tables, const TrunkNames& names,
                     const std::map<std::string, RegisteredGate>& gates, TrunkLimits& limits,
                     const TrunkHealth& health, const TrunkRegistrations& registrations,
                     const Ladders& ladders, const ContactDirectory& directory)
    : outbound_(settings, tables.outbound),
      inbound_(settings, tables.inbound),
      explain_(host, settings, tables, names, gates, limits, health),
      trunks_(settings, limits, health, registrations),
      contacts_(settings, directory),
      routes_(host) {
  outbound_.add_to(routes_);
  inbound_.add_to(routes_);
  explain_.add_to(routes_);
  trunks_.add_to(routes_);
  contacts_.add_to(routes_);
  add_ladder_route(routes_, ladders);
}

}  // namespace patchbay::sip_trunk
