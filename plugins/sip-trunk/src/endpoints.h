// Endpoints: the plugin's endpoints of the REST API. Main strand.
#pragma once

#include <patchbay/services/http_routes.h>

#include <map>
#include <string>

#include "ladder/ladders.h"
#include "read_settings.h"
#include "routes/explain_routes.h"
#include "routes/inbound_routes.h"
#include "routes/outbound_routes.h"
#include "routes/route_tables.h"
#include "routes/trunk_routes.h"
#include "trunks/trunk_health.h"
#include "trunks/trunk_limits.h"
#include "trunks/trunk_names.h"
#include "trunks/trunk_registrations.h"
#include "users/contact_directory.h"
#include "users/contact_routes.h"

namespace patchbay::sip_trunk {

class Endpoints {
 public:
  // All outlive this.
  Endpoints(const Host& host, const Settings& settings, RouteTables& tables, const TrunkNames& names,
            const std::map<std::string, RegisteredGate>& gates, TrunkLimits& limits,
            const TrunkHealth& health, const TrunkRegistrations& registrations, const Ladders& ladders,
            const ContactDirectory& directory);

  // Serves requests from here on.
  void open() { routes_.open(); }

 private:
  OutboundRoutes outbound_;
  InboundRoutes inbound_;
  ExplainRoutes explain_;
  TrunkRoutes trunks_;
  ContactRoutes contacts_;
  http::Routes routes_;
};

}  // namespace patchbay::sip_trunk
