// RouteTable: the rows of all tenants of one domain, in memory: those of the configuration and the stored
// ones. Changes take effect here at once, and in other processes on the same database when they next compare
// the revisions. Main strand.
#pragma once

#include <patchbay/function.h>
#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/services/audit.h>

#include <deque>
#include <map>
#include <optional>
#include <string>

#include "routes/route_store.h"

namespace patchbay::sip_trunk {

// What a tenant's configuration says about one domain.
struct ConfiguredRoutes {
  RouteRows rows;
  std::string default_user;  // of the automatic catchall
};

// A change of a tenant's stored rows. New and moved rows have place 0.
struct RouteEdit {
  RouteRows stored;  // all of them, in order
  audit::Record record;
};

// The result of looking at the rows: a change to be made, or none.
struct RoutePlan {
  std::optional<RouteEdit> edit;
  Function<http::Response(const RouteRows& rows)> answer;  // from all rows as they are then
};

// No change, and this response.
inline RoutePlan answer_with(http::Response response) {
  return {std::nullopt, [response = std::move(response)](const RouteRows&) { return response; }};
}

class RouteTable {
 public:
  using Planner = Function<RoutePlan(const RouteRows& all, const RouteRows& stored)>;
  using Reply = patchbay::Reply<http::Response>;

  RouteTable(const Host& host, Domain domain);

  // Replaces the rows of the configuration.
  void configure(std::map<std::string, ConfiguredRoutes> configured);

  // All rows of a tenant, in the order in which calls try them.
  const RouteRows& rows(const std::string& tenant);

  // Whether the rows in memory are older than that revision.
  bool is_older_than(const RouteRevision& revision) const;
  // Reads a tenant's stored rows again.
  void refresh(const std::string& tenant, Function<void(Status)> done);

  // Changes run one at a time. `plan` may run several times, because another process may change the rows
  // between the plan and its commit; it has no side effects.
  void write(const std::string& tenant, Planner plan, Reply reply);

 private:
  struct Tenant {
    StoredRoutes stored;
    std::optional<RouteRows> all;  // made when needed
  };
  struct Write {
    std::string tenant;
    Planner plan;
    Reply reply;
    int tries = 0;
  };

  void take(const std::string& tenant, StoredRoutes stored);
  void run_next();
  void finish(Result<http::Response> response);
  void on_commit(const Commit& outcome, StoredRoutes after,
                 Function<http::Response(const RouteRows&)> answer);
  void try_again();

  // borrowed
  const Host& host_;
  const Domain domain_;
  // owned
  const RouteStore store_;
  audit::Trail trail_;
  std::map<std::string, ConfiguredRoutes> configured_;
  std::map<std::string, Tenant> tenants_;
  std::deque<Write> writes_;  // the first one is running
  Lifetime alive_;
};

}  // namespace patchbay::sip_trunk
