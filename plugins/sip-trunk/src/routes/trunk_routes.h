// GET /api.ashx/v1/admin/trunks: the configured trunks, and whether they are up. Main strand.
#pragma once

#include <patchbay/services/http_routes.h>

#include "read_settings.h"
#include "trunks/trunk_health.h"
#include "trunks/trunk_limits.h"
#include "trunks/trunk_registrations.h"

namespace patchbay::sip_trunk {

class TrunkRoutes {
 public:
  // All outlive this.
  TrunkRoutes(const Settings& settings, const TrunkLimits& limits, const TrunkHealth& health,
              const TrunkRegistrations& registrations)
      : settings_(settings), limits_(limits), health_(health), registrations_(registrations) {}

  void add_to(http::Routes& routes);

 private:
  http::Response list(const http::Request& request) const;
  void write(JsonWriter& out, const TrunkKey& key, const TrunkAccess& trunk, int64_t calls) const;

  const Settings& settings_;
  const TrunkLimits& limits_;
  const TrunkHealth& health_;
  const TrunkRegistrations& registrations_;
};

}  // namespace patchbay::sip_trunk
