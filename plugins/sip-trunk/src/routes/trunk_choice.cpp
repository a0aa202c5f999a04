#include "routes/trunk_choice.h"

#include <utility>

namespace patchbay::sip_trunk {

TrunkChoice choose_trunks(const TenantTrunks& tenant, const RouteRows& rows, const std::string& number) {
  TrunkChoice choice;
  choice.row = first_match(rows, number);
  if (choice.row == nullptr) {
    if (!tenant.default_trunk.empty()) choice.trunk_ids.push_back(tenant.default_trunk);
    return choice;
  }
  for (std::string& id : choice.row->trunk_ids())
    (tenant.trunks.count(id) != 0 ? choice.trunk_ids : choice.not_configured).push_back(std::move(id));
  return choice;
}

}  // namespace patchbay::sip_trunk
