// Which trunks a dialled number goes through. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "read_settings.h"

namespace patchbay::sip_trunk {

struct TrunkChoice {
  const RouteRow* row = nullptr;            // borrowed from the rows; null: the default trunk, or none
  std::vector<std::string> trunk_ids;       // to be tried in this order
  std::vector<std::string> not_configured;  // ids of the row whose trunks the configuration has no more
};

// Chooses by the first row that matches the normalised number, else the default trunk. A matching row decides
// alone, even when none of its trunks is configured any more.
TrunkChoice choose_trunks(const TenantTrunks& tenant, const RouteRows& rows, const std::string& number);

}  // namespace patchbay::sip_trunk
