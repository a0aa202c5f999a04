#include "routes/route_tables.h"

#include <utility>

#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {

RouteTables::RouteTables(const Host& host)
    : outbound(host, Domain::outbound),
      inbound(host, Domain::inbound),
      store_(host),
      poll_(host, kRoutePollMs, [this] { read(); }) {}

void RouteTables::configure(const Settings& settings) {
  std::map<std::string, ConfiguredRoutes> dialled, called;
  for (const auto& [host, tenant] : settings.tenants) {
    dialled.emplace(host, ConfiguredRoutes{tenant.outbound_routes, {}});
    called.emplace(host, ConfiguredRoutes{tenant.inbound_routes, tenant.default_user});
  }
  outbound.configure(std::move(dialled));
  inbound.configure(std::move(called));
}

void RouteTables::load(Function<void(Status)> done) {
  store_.revisions(
      alive_.bind([this, done = std::move(done)](Result<std::vector<RouteRevision>> revisions) mutable {
        if (!revisions) return done(revisions.error());
        refresh(*std::move(revisions), [this, done = std::move(done)](Status status) mutable {
          if (status) poll_.start();
          done(std::move(status));
        });
      }));
}

void RouteTables::read() {
  store_.revisions(alive_.bind([this](Result<std::vector<RouteRevision>> revisions) {
    // What fails now is read the next time, and calls go by the rows known last.
    if (!revisions) return poll_.looked();
    refresh(*std::move(revisions), [this](const Status&) { poll_.looked(); });
  }));
}

// Reads one table after the other, so that many changes at once are no burst of queries.
void RouteTables::refresh(std::vector<RouteRevision> revisions, Function<void(Status)> done) {
  const auto table_of = [this](const RouteRevision& revision) -> RouteTable& {
    return revision.domain == domain_name(Domain::outbound) ? outbound : inbound;
  };
  while (!revisions.empty() && !table_of(revisions.back()).is_older_than(revisions.back()))
    revisions.pop_back();
  if (revisions.empty()) return done({});
  const RouteRevision next = std::move(revisions.back());
  revisions.pop_back();
  table_of(next).refresh(next.tenant, alive_.bind([this, revisions = std::move(revisions),
                                                   done = std::move(done)](Status status) mutable {
    if (!status) return done(std::move(status));
    refresh(std::move(revisions), std::move(done));
  }));
}

}  // namespace patchbay::sip_trunk
