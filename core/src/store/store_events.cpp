// The store's events: their consumers, the log, and its retention.
#include <algorithm>

#include "bus/topic_name.h"
#include "store/database.h"
#include "store/limits.h"
#include "store/postgres_connection.h"
#include "store/sqlite_connection.h"
#include "store/store_impl.h"

namespace patchbay::core {
namespace {

std::vector<LoggedEvent> events_of(const Rows& rows) {
  std::vector<LoggedEvent> events;
  events.reserve(rows.row_count());
  for (size_t row = 0; row < rows.row_count(); ++row) {
    auto text = [&](size_t column) { return std::string(rows.text(row, column)); };
    events.push_back({rows.integer(row, 0), text(1), text(2), rows.integer(row, 3), text(4), text(5),
                      rows.integer(row, 6), text(7)});
  }
  return events;
}

std::vector<ConsumerState> states_of(const Rows& rows) {
  std::vector<ConsumerState> states;
  states.reserve(rows.row_count());
  for (size_t row = 0; row < rows.row_count(); ++row) {
    states.push_back({std::string(rows.text(row, 0)), std::string(rows.text(row, 1)), rows.integer(row, 2),
                      rows.integer(row, 3), rows.integer(row, 4) != 0, rows.integer(row, 5),
                      rows.is_null(row, 6) ? -1 : rows.integer(row, 6)});
  }
  return states;
}

Store::Done<Rows> as_events(Store::Done<std::vector<LoggedEvent>> done) {
  return [done = std::move(done)](Result<Rows> rows) {
    if (!rows) return done(std::move(rows).error());
    done(events_of(*rows));
  };
}

}  // namespace

void Store::register_consumer(const std::string& name, const std::vector<std::string>& patterns,
                              Done<void> done) {
  std::string joined;
  for (const std::string& pattern : patterns) {
    if (!valid_pattern(pattern))
      return done({Code::invalid, "'" + pattern + "' is not a topic, 'prefix.*' or '*'"});
    joined += (joined.empty() ? "" : " ") + pattern;
  }
  if (name.empty() || joined.empty())
    return done({Code::invalid, "a consumer has a name and at least one pattern"});
  impl_->write<void>(
      [name, joined](WriteSession& session) -> Status {
        PB_TRY(session.put_consumer(name, joined));
        return session.load_consumers();
      },
      std::move(done), WriteTask::Kind::alone);
}

void Store::forget_consumer(const std::string& name, Done<void> done) {
  impl_->write<void>(
      [name](WriteSession& session) -> Status {
        PB_TRY(session.forget_consumer(name));
        return session.load_consumers();
      },
      std::move(done), WriteTask::Kind::alone);
}

void Store::purge_consumers(int64_t unseen_since_ms, int64_t limit, Done<ConsumerPurgeResult> done) {
  impl_->write<ConsumerPurgeResult>(
      [=](WriteSession& session) -> Result<ConsumerPurgeResult> {
        PB_TRY(session.begin());
        PB_TRY_VALUE(ConsumerPurgeResult tidied, session.purge_consumers(unseen_since_ms, limit));
        PB_TRY(session.commit());  // on an error the writer rolls back
        PB_TRY(session.load_consumers());
        return tidied;
      },
      std::move(done), WriteTask::Kind::alone);
}

void Store::consumers(Done<std::vector<ConsumerState>> done) {
  impl_->ask("consumer-states", {kMaxCountedPending}, [done = std::move(done)](Result<Rows> rows) {
    if (!rows) return done(std::move(rows).error());
    done(states_of(*rows));
  });
}

void Store::pending(std::string consumer, int64_t after_id, int64_t limit,
                    Done<std::vector<LoggedEvent>> done) {
  Values values{consumer, after_id, limit};
  // Halves the limit while the result is too large, otherwise the consumer would never get past these events.
  impl_->ask("pending", std::move(values),
             as_events([this, consumer = std::move(consumer), after_id, limit,
                        done = std::move(done)](Result<std::vector<LoggedEvent>> events) mutable {
               if (!events && events.error().code == Code::exhausted && limit > 1)
                 return pending(std::move(consumer), after_id, limit / 2, std::move(done));
               done(std::move(events));
             }));
}

void Store::read_log(int64_t after_id, int64_t limit, Done<std::vector<LoggedEvent>> done) {
  impl_->ask("event-log", {after_id, limit}, as_events(std::move(done)));
}

// Halves the limit as pending() does.
void Store::read_tenant_log(std::string tenant, int64_t after, int64_t limit, Done<TenantLog> done) {
  Values values{tenant, after, limit};
  impl_->ask("event-log-of-tenant", std::move(values),
             as_events([this, tenant = std::move(tenant), after, limit,
                        done = std::move(done)](Result<std::vector<LoggedEvent>> rows) mutable {
               if (rows) return done(tenant_log(*std::move(rows), after));
               if (rows.error().code == Code::exhausted && limit > 1)
                 return read_tenant_log(std::move(tenant), after, limit / 2, std::move(done));
               done(std::move(rows).error());
             }));
}

void Store::prune(int64_t older_than_ms, PruneCursor from, int64_t limit, Done<PruneResult> done) {
  impl_->write<PruneResult>([=](WriteSession& session) { return session.prune(older_than_ms, from, limit); },
                            std::move(done));
}

Result<std::vector<ConsumerState>> read_consumers(const std::filesystem::path& path,
                                                  const std::string& postgres, const std::string& password) {
  auto clock = std::make_shared<const Clock>(system_now_ms);
  PB_TRY_VALUE(const SchemaText schema, parse_schema(core_schema()));
  const auto found = std::find_if(schema.statements.begin(), schema.statements.end(),
                                  [](const auto& each) { return each.name == "consumer-states"; });
  std::unique_ptr<ReadConnection> reader;
  if (postgres.empty()) {
    PB_TRY_VALUE(Database db, Database::open(path, Database::Mode::read, std::move(clock)));
    reader = std::make_unique<SqliteReader>(std::move(db));
  } else {
    PB_TRY_VALUE(const PostgresFunctions* pq, load_postgres());
    reader = std::make_unique<PostgresReader>(
        *pq, PostgresLink::Options{postgres, password, true, false, kQueryTimeoutMs, kLockTimeoutMs},
        std::move(clock));
  }
  Statement statement{"core", found->name, found->sql, found->parameters, true, false};
  PB_TRY_VALUE(const std::unique_ptr<SqlStatement> compiled, reader->prepare(statement));
  Rows rows;
  PB_TRY(compiled->run({kMaxCountedPending}, &rows, kMaxResultBytes));
  return states_of(rows);
}

}  // namespace patchbay::core
