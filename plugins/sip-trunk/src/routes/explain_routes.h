// POST /api.ashx/v1/admin/explain: what would happen to a call. Nothing is sent. Main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/services/call_limits.h>
#include <patchbay/services/http_routes.h>
#include <patchbay/services/numbers.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "legs/gate_report.h"
#include "read_settings.h"
#include "routes/route_tables.h"
#include "trunks/trunk_health.h"
#include "trunks/trunk_limits.h"
#include "trunks/trunk_names.h"

namespace patchbay::sip_trunk {

class ExplainRoutes {
 public:
  // All outlive this. `gates` are those that a dial would ask.
  ExplainRoutes(const Host& host, const Settings& settings, RouteTables& tables, const TrunkNames& names,
                const std::map<std::string, RegisteredGate>& gates, TrunkLimits& limits,
                const TrunkHealth& health);

  void add_to(http::Routes& routes);

 private:
  using Reply = patchbay::Reply<http::Response>;

  void explain(const http::Request& request, Reply reply);
  void explain_dial(const http::Request& request, Reply reply);
  void explain_call(const http::Request& request, Reply reply);
  // Asks which limit of the tenant is reached, and answers.
  void answer_dial(const std::string& tenant, const std::string& number, std::vector<GateAnswer> gates,
                   Reply reply);
  // `tenant_limit`: that is reached; "": none.
  std::string dial_json(const std::string& tenant, const std::string& number,
                        const std::vector<GateAnswer>& gates, const std::string& tenant_limit);
  std::string call_json(const std::string& tenant, const std::string& did, const std::string& from_number,
                        const Result<numbers::Summary>& number);
  // Why a dial would skip this trunk, as far as known without asking the network; "": it would be tried.
  std::string why_skipped(const std::string& tenant, const TenantTrunks& trunks,
                          const std::string& trunk_id) const;

  // borrowed
  const Host& host_;
  const Settings& settings_;
  RouteTables& tables_;
  const TrunkNames& names_;
  const std::map<std::string, RegisteredGate>& gates_;
  TrunkLimits& limits_;
  const TrunkHealth& health_;
  // owned
  Service<numbers::Numbers> numbers_;
  Service<call_limits::CallLimits> call_limits_;
  std::map<int64_t, std::unique_ptr<GateReport>> reports_;  // under way
  int64_t last_report_ = 0;
  Lifetime alive_;
};

}  // namespace patchbay::sip_trunk
