#include "routes/route_store.h"

#include <algorithm>
#include <map>
#include <utility>

namespace patchbay::sip_trunk {

RouteStore::RouteStore(const Host& host)
    : host_(host),
      log_(host),
      revs_(Statement::find(host, "route_revs")),
      rows_(Statement::find(host, "route_rows")),
      rev_add_(Statement::find(host, "route_rev_add")),
      rev_raise_(Statement::find(host, "route_rev_raise")),
      add_(Statement::find(host, "route_add")),
      change_(Statement::find(host, "route_change")),
      remove_(Statement::find(host, "route_remove")) {}

void RouteStore::revisions(Function<void(Result<std::vector<RouteRevision>>)> done) const {
  query(host_, revs_, {}, [done = std::move(done)](const Result<Rows>& rows) mutable {
    if (!rows) return done(rows.error());
    std::vector<RouteRevision> all;
    for (size_t i = 0; i < rows->size(); ++i)
      all.push_back({std::string(rows->text(i, 0)), std::string(rows->text(i, 1)), rows->integer(i, 2)});
    done(std::move(all));
  });
}

void RouteStore::read(const std::string& tenant, Domain domain,
                      Function<void(Result<StoredRoutes>)> done) const {
  query(host_, rows_, {tenant, domain_name(domain)},
        [log = log_, tenant, domain, done = std::move(done)](const Result<Rows>& rows) mutable {
          if (!rows) return done(rows.error());
          StoredRoutes stored;
          for (size_t i = 0; i < rows->size(); ++i) {
            stored.rev = rows->integer(i, 0);
            if (rows->is_null(i, 1)) continue;  // the tenant has none any more
            auto row = RouteRow::read(domain, rows->text(i, 3), rows->text(i, 4), rows->text(i, 5));
            if (!row) {
              log.error("a stored route is not valid and is left out",
                        {{"tenant", tenant}, {"id", rows->text(i, 1)}, {"why", row.error().text}});
              continue;
            }
            row->id = rows->text(i, 1);
            row->place = rows->integer(i, 2);
            stored.rows.push_back(*std::move(row));
          }
          done(std::move(stored));
        });
}

void RouteStore::write(Transaction& tx, const std::string& tenant, Domain domain, const StoredRoutes& before,
                       const RouteRows& after) const {
  const std::string_view name = domain_name(domain);
  tx.exec(rev_add_, {tenant, name});
  tx.exec(rev_raise_, {tenant, name, before.rev}, 1);
  std::map<std::string_view, const RouteRow*> gone;
  for (const RouteRow& row : before.rows) gone.emplace(row.id, &row);
  for (const RouteRow& row : after) {
    const auto old = gone.find(row.id);
    if (old == gone.end()) {
      tx.exec(add_,
              {tenant, name, row.id, row.place, row.number, row.caller, row.target, row.number_key(),
               row.caller_key()},
              1);
      continue;
    }
    if (old->second->place != row.place || old->second->target != row.target)
      tx.exec(change_, {tenant, name, row.id, row.place, row.target}, 1);
    gone.erase(old);
  }
  for (const auto& [id, row] : gone) tx.exec(remove_, {tenant, name, id}, 1);
}

}  // namespace patchbay::sip_trunk
