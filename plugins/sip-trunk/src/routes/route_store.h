// RouteStore: the stored rows of routes. Main strand.
#pragma once

#include <patchbay/function.h>
#include <patchbay/log.h>
#include <patchbay/store.h>

#include <string>
#include <vector>

#include "routes/route_row.h"

namespace patchbay::sip_trunk {

// The stored rows of a tenant and domain, in order, and the revision that they belong to.
struct StoredRoutes {
  int64_t rev = 0;
  RouteRows rows;
};

struct RouteRevision {
  std::string tenant;
  std::string domain;
  int64_t rev = 0;
};

class RouteStore {
 public:
  explicit RouteStore(const Host& host);

  // The revisions of all tenants that have, or had, stored rows.
  void revisions(Function<void(Result<std::vector<RouteRevision>>)> done) const;
  void read(const std::string& tenant, Domain domain, Function<void(Result<StoredRoutes>)> done) const;
  // Adds the operations that turn `before` into `after`, whose rows have places. The commit fails with
  // Code::conflict unless `before` is the state in the store, because the revision is compared.
  void write(Transaction& tx, const std::string& tenant, Domain domain, const StoredRoutes& before,
             const RouteRows& after) const;

 private:
  const Host& host_;
  const Log log_;
  const Statement revs_, rows_, rev_add_, rev_raise_, add_, change_, remove_;
};

}  // namespace patchbay::sip_trunk
