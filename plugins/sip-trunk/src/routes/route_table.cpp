#include "routes/route_table.h"

#include <utility>

#include "routes/row_order.h"
#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {

RouteTable::RouteTable(const Host& host, Domain domain)
    : host_(host), domain_(domain), store_(host), trail_(host) {}

void RouteTable::configure(std::map<std::string, ConfiguredRoutes> configured) {
  configured_ = std::move(configured);
  for (auto& [host, tenant] : tenants_) tenant.all.reset();
}

const RouteRows& RouteTable::rows(const std::string& tenant) {
  Tenant& entry = tenants_[tenant];
  if (!entry.all) {
    static const ConfiguredRoutes kNone;
    const auto at = configured_.find(tenant);
    const ConfiguredRoutes& configured = at != configured_.end() ? at->second : kNone;
    entry.all = all_rows(domain_, configured.rows, entry.stored.rows, configured.default_user);
  }
  return *entry.all;
}

// Ignores older rows, because a read and a commit may overlap.
void RouteTable::take(const std::string& tenant, StoredRoutes stored) {
  Tenant& entry = tenants_[tenant];
  if (stored.rev < entry.stored.rev) return;
  entry.stored = std::move(stored);
  entry.all.reset();
}

bool RouteTable::is_older_than(const RouteRevision& revision) const {
  const auto at = tenants_.find(revision.tenant);
  return at == tenants_.end() || at->second.stored.rev < revision.rev;
}

void RouteTable::refresh(const std::string& tenant, Function<void(Status)> done) {
  store_.read(tenant, domain_,
              alive_.bind([this, tenant, done = std::move(done)](Result<StoredRoutes> stored) mutable {
                if (!stored) return done(stored.error());
                take(tenant, *std::move(stored));
                done({});
              }));
}

void RouteTable::write(const std::string& tenant, Planner plan, Reply reply) {
  writes_.push_back({tenant, std::move(plan), std::move(reply), 0});
  if (writes_.size() == 1) run_next();
}

void RouteTable::run_next() {
  Write& write = writes_.front();
  const StoredRoutes& before = tenants_[write.tenant].stored;
  RoutePlan plan = write.plan(rows(write.tenant), before.rows);
  if (!plan.edit) return finish(plan.answer(rows(write.tenant)));
  assign_places(plan.edit->stored);
  Transaction tx(host_);
  store_.write(tx, write.tenant, domain_, before, plan.edit->stored);
  StoredRoutes after{before.rev + 1, std::move(plan.edit->stored)};
  trail_.commit(std::move(tx), std::move(plan.edit->record),
                alive_.bind([this, after = std::move(after),
                             answer = std::move(plan.answer)](const Commit& outcome) mutable {
                  on_commit(outcome, std::move(after), std::move(answer));
                }));
}

void RouteTable::on_commit(const Commit& outcome, StoredRoutes after,
                           Function<http::Response(const RouteRows&)> answer) {
  if (!outcome && outcome.code() == Code::conflict) return try_again();
  if (!outcome) return finish(outcome.error());
  const std::string tenant = writes_.front().tenant;
  take(tenant, std::move(after));
  finish(answer(rows(tenant)));
}

// Another process was first.
void RouteTable::try_again() {
  Write& write = writes_.front();
  if (++write.tries == kMaxRouteWriteTries)
    return finish(http::error(409, "conflict", "the routes are being changed by others: try again"));
  refresh(write.tenant, [this](const Status& read) {
    if (!read) return finish(read.error());
    run_next();
  });
}

void RouteTable::finish(Result<http::Response> response) {
  Reply reply = std::move(writes_.front().reply);
  writes_.pop_front();
  reply(std::move(response));
  if (!writes_.empty()) run_next();
}

}  // namespace patchbay::sip_trunk
