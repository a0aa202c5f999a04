#include "routes/trunk_choice.h"

#include <doctest/doctest.h>

using namespace patchbay;
using namespace patchbay::sip_trunk;

namespace {

TenantTrunks tenant_with(const std::vector<std::string>& ids, const std::string& default_trunk) {
  TenantTrunks tenant;
  for (const std::string& id : ids) tenant.trunks.emplace(id, TrunkAccess{});
  tenant.default_trunk = default_trunk;
  return tenant;
}

RouteRows one_row(const std::string& match, const std::vector<std::string>& ids) {
  return {*RouteRow::outbound(match, ids)};
}

using Ids = std::vector<std::string>;

}  // namespace

TEST_CASE("the trunks of the matching row are chosen, else the default trunk") {
  const TenantTrunks tenant = tenant_with({"a", "b", "c"}, "c");
  const RouteRows rows = one_row("+49*", {"b", "a"});
  const TrunkChoice german = choose_trunks(tenant, rows, "+4930123456");
  CHECK(german.trunk_ids == Ids{"b", "a"});
  CHECK(german.row == rows.data());
  const TrunkChoice other = choose_trunks(tenant, rows, "+4330123456");
  CHECK(other.trunk_ids == Ids{"c"});
  CHECK(other.row == nullptr);
  CHECK(choose_trunks(tenant_with({"a"}, ""), {}, "+4330123456").trunk_ids.empty());
}

TEST_CASE("trunks that are not configured any more are left out, and the row still decides") {
  const TenantTrunks tenant = tenant_with({"a", "c"}, "c");
  const TrunkChoice some = choose_trunks(tenant, one_row("*", {"gone", "a"}), "+4930123456");
  CHECK(some.trunk_ids == Ids{"a"});
  CHECK(some.not_configured == Ids{"gone"});
  const TrunkChoice none = choose_trunks(tenant, one_row("*", {"gone"}), "+4930123456");
  CHECK(none.trunk_ids.empty());
  CHECK(none.not_configured == Ids{"gone"});
}
