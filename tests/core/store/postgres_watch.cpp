// The thread that watches a shared PostgreSQL database: hints, leases of nodes, and jobs of other processes.
#include <map>
#include <set>

#include "core/store/shared_database.h"
#include "support/within.h"

using namespace store_test;
using namespace std::chrono_literals;

namespace {

constexpr const char* kHinted = R"(
-- migration: 1
CREATE TABLE hinted_revision (domain TEXT NOT NULL PRIMARY KEY, rev BIGINT NOT NULL);
INSERT INTO hinted_revision (domain, rev) VALUES ('rows', 0);
-- name: raise
-- notify
UPDATE hinted_revision SET rev = rev + 1 WHERE domain = $1;
-- name: raise-unseen
UPDATE hinted_revision SET rev = rev + 1 WHERE domain = $1;
)";

// The hints that a store has got of other processes.
struct Hints {
  StoreOptions options() {
    StoreOptions options;
    options.on_committed = [this](CommitNotice&& notice) {
      const std::lock_guard lock(mutex);
      for (const std::string& owner : notice.changed)
        (notice.is_elsewhere ? elsewhere : here).push_back(owner);
    };
    return options;
  }
  size_t count() {
    const std::lock_guard lock(mutex);
    return elsewhere.size();
  }

  std::mutex mutex;
  std::vector<std::string> elsewhere, here;
};

}  // namespace

TEST_CASE("a commit that raises a revision is a hint for the other processes, and only for them") {
  SharedDatabase shared;
  Hints of_a, of_b;
  auto a = shared.open("a", of_a.options());
  auto b = shared.open("b", of_b.options());
  REQUIRE(a->register_owner("hinted", kHinted).ok());
  REQUIRE(b->register_owner("hinted", kHinted).ok());
  const auto raise = [](Store& store, const char* name, const char* domain) {
    return commit(store, one(ExecOp{*store.statement("hinted", name), {domain}, 1})).status.ok();
  };
  // No hint: it has changed nothing, was rolled back, or is not marked.
  CHECK_FALSE(raise(*a, "raise", "unknown"));
  Transaction undone = one(ExecOp{*a->statement("hinted", "raise"), {"rows"}, 1});
  undone.add(ExecOp{*a->statement("notes", "edit"), {1, 0, "x"}, 1});
  CHECK_FALSE(commit(*a, std::move(undone)).status.ok());
  CHECK(raise(*a, "raise-unseen", "rows"));
  CHECK(raise(*a, "raise", "rows"));
  CHECK(within(60s, [&] { return of_b.count() == 1; }));
  CHECK(raise(*b, "raise", "rows"));
  CHECK(within(60s, [&] { return of_a.count() == 1; }));
  // After the connections were lost, too.
  shared.value("SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid <> pg_backend_pid()");
  CHECK(within(60s, [&] { return raise(*a, "raise", "rows") && of_b.count() > 1; }));
  for (const std::string& owner : of_b.elsewhere) CHECK(owner == "hinted");
  CHECK(of_a.count() == 1);
  CHECK(of_b.here.size() == 1);
}

namespace {

// Holds the lock that the commit of every NOTIFY takes, by a commit that waits for a standby server that does
// not exist. Stores with StoreOptions::scratch wait for none.
class HeldNotifyLock {
 public:
  explicit HeldNotifyLock(const SharedDatabase& shared) : shared_(shared) {
    configure("SET synchronous_standby_names = 'none'");
    holder_ = std::thread([this] {
      auto client = test::PostgresClient::connect(shared_.server->conninfo());
      while (client && !stop_ && (*client)->run("NOTIFY held")) continue;  // the first ones may not wait yet
    });
  }
  ~HeldNotifyLock() {
    stop_ = true;
    configure("RESET synchronous_standby_names");
    holder_.join();
  }
  bool is_held() const {
    // Commits of autovacuum wait, too.
    return shared_.value(
               "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query = 'NOTIFY "
               "held'") == "1";
  }

 private:
  void configure(const std::string& change) {
    auto client = test::PostgresClient::connect(shared_.server->conninfo());
    CHECK((client.ok() && (*client)->run("ALTER SYSTEM " + change).ok() &&
           (*client)->run("SELECT pg_reload_conf()").ok()));
  }

  const SharedDatabase& shared_;
  std::atomic<bool> stop_{false};
  std::thread holder_;
};

// Another session, which locks a table or a row until its end.
class Locker {
 public:
  Locker(const SharedDatabase& shared, const std::string& lock) {
    auto connected = test::PostgresClient::connect(shared.server->conninfo());
    REQUIRE(connected.ok());
    client_ = *std::move(connected);
    const Status locked = client_->run("BEGIN; " + lock);
    REQUIRE_MESSAGE(locked.ok(), (locked ? "" : locked.error().text));
  }

 private:
  std::unique_ptr<test::PostgresClient> client_;
};

bool is_waited_for(const SharedDatabase& shared) {
  return within(60s, [&] { return shared.value("SELECT COUNT(*) FROM pg_locks WHERE NOT granted") != "0"; });
}

// Whether the node's lease is renewed `times` before it runs out.
bool is_renewed(const SharedDatabase& shared, const Store& node, size_t times) {
  auto client = test::PostgresClient::connect(shared.server->conninfo());
  REQUIRE(client.ok());
  bool is_live = true;
  std::set<std::string> leases;
  const bool seen = within(60s, [&] {
    const auto row = (*client)->rows(
        "SELECT lease_until_ms, lease_until_ms > EXTRACT(EPOCH FROM clock_timestamp()) * 1000 FROM core_node "
        "WHERE id = '" +
        node.node() + "'");
    if (!row.ok() || row->size() != 1) return false;
    leases.insert(row->front()[0]);
    is_live = is_live && row->front()[1] == "t";
    return leases.size() == times + 1 || !is_live;
  });
  return seen && is_live;
}

// A node whose process is dead, with a claimed job.
void add_dead_node(const SharedDatabase& shared, const std::string& name) {
  auto client = test::PostgresClient::connect(shared.server->conninfo());
  REQUIRE(client.ok());
  REQUIRE((*client)
              ->run("INSERT INTO core_node (id, epoch, state, started_ms, lease_until_ms) VALUES ('" + name +
                    "', 3, 'live', 0, 0)")
              .ok());
  REQUIRE((*client)
              ->run("INSERT INTO core_job (id, kind, tenant, job_key, due_ms, fence, tries, body, held_by, "
                    "held_from_ms, held_epoch) SELECT COALESCE(MAX(id), 0) + 1, 'sweep', 't', '', "
                    "4000000000000, 1, 1, '', '" +
                    name + "', 5, 3 FROM core_job")
              .ok());
}

bool is_buried(const SharedDatabase& shared, const std::string& name) {
  return within(
      60s, [&] { return shared.value("SELECT state FROM core_node WHERE id = '" + name + "'") == "dead"; });
}

}  // namespace

TEST_CASE("a hint that waits for a lock does not let the node's lease run out") {
  SharedDatabase shared;
  StoreOptions options;
  options.scratch = true;
  auto a = shared.open("a", std::move(options));
  REQUIRE(a->register_owner("hinted", kHinted).ok());
  const HeldNotifyLock lock(shared);
  REQUIRE(within(60s, [&] { return lock.is_held(); }));
  REQUIRE(commit(*a, one(ExecOp{*a->statement("hinted", "raise"), {"rows"}, 1})).status.ok());
  REQUIRE(is_waited_for(shared));
  CHECK(is_renewed(shared, *a, 3));
  CHECK(lock.is_held());
}

TEST_CASE("a locked table does not let the node's lease run out") {
  SharedDatabase shared;
  std::atomic<int> events{0};
  StoreOptions options;
  options.on_committed = [&](CommitNotice&& notice) {
    if (notice.is_elsewhere) events += static_cast<int>(notice.events.size());
  };
  auto a = shared.open("a", std::move(options));
  auto b = shared.open("b");
  REQUIRE(commit(*b, add_note(*b, 1)).status.ok());
  CHECK(within(60s, [&] { return events == 1; }));
  {
    const Locker locker(shared, "LOCK core_event IN ACCESS EXCLUSIVE MODE");
    REQUIRE(is_waited_for(shared));
    CHECK(is_renewed(shared, *a, 8));  // longer than a lease lasts
  }
  REQUIRE(commit(*b, add_note(*b, 2)).status.ok());
  CHECK(within(60s, [&] { return events == 2; }));
}

TEST_CASE("a locked job of a dead node does not let the node's lease run out") {
  SharedDatabase shared;
  auto a = shared.open("a");
  add_dead_node(shared, "dead-1");
  {
    const Locker locker(shared, "SELECT id FROM core_job FOR UPDATE");
    REQUIRE(is_waited_for(shared));
    CHECK(is_renewed(shared, *a, 8));
    CHECK(shared.value("SELECT state FROM core_node WHERE id = 'dead-1'") == "live");
  }
  CHECK(is_buried(shared, "dead-1"));
  CHECK(claim(*a, "sweep", 1, 1000).size() == 1);
}

// As the leases of all nodes have run out then.
TEST_CASE("after the database stood still no node is taken for dead until it had time to renew its lease") {
  SharedDatabase shared;
  auto a = shared.open("a");
  add_dead_node(shared, "dead-1");
  REQUIRE(is_buried(shared, "dead-1"));  // so a has renewed its own for long enough
  {
    auto client = test::PostgresClient::connect(shared.server->conninfo());
    REQUIRE((client.ok() && (*client)
                                ->run("INSERT INTO core_node (id, epoch, state, started_ms, lease_until_ms) "
                                      "SELECT 'dead-2', 1, 'live', 0, EXTRACT(EPOCH FROM clock_timestamp()) "
                                      "* 1000 + 2000")
                                .ok()));
  }
  shared.server->freeze();
  std::this_thread::sleep_for(4s);
  shared.server->thaw();
  CHECK(is_renewed(shared, *a, 3));
  CHECK(shared.value("SELECT state FROM core_node WHERE id = 'dead-2'") == "live");
  CHECK(is_buried(shared, "dead-2"));
}

// As when the clock is set forward: each lease seems to have run out long ago.
TEST_CASE("the clock of the database does not decide which node is dead") {
  SharedDatabase shared;
  std::mutex mutex;
  std::string warnings;
  StoreOptions options;
  options.warn = [&](const std::string& text) {
    const std::lock_guard lock(mutex);
    warnings += text + "\n";
  };
  auto a = shared.open("a", options), b = shared.open("b", options);
  {
    auto client = test::PostgresClient::connect(shared.server->conninfo());
    REQUIRE((client.ok() &&
             (*client)
                 ->run("CREATE FUNCTION set_forward() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN "
                       "NEW.lease_until_ms := NEW.lease_until_ms - 3600000; RETURN NEW; END'; CREATE TRIGGER "
                       "set_forward BEFORE UPDATE ON core_node FOR EACH ROW EXECUTE FUNCTION set_forward()")
                 .ok()));
  }
  add_dead_node(shared, "dead-1");
  CHECK(is_buried(shared, "dead-1"));
  const std::lock_guard lock(mutex);
  for (const Store* node : {a.get(), b.get()}) CHECK(warnings.find(node->node()) == std::string::npos);
  CHECK(shared.value("SELECT COUNT(*) FROM core_node WHERE state = 'live'") == "2");
}

TEST_CASE("jobs of other processes are announced with their due times, if their kind is claimed here") {
  SharedDatabase shared;
  std::mutex mutex;
  std::map<std::string, int64_t> due;
  StoreOptions options;
  options.on_committed = [&](CommitNotice&& notice) {
    const std::lock_guard lock(mutex);
    for (const JobNotice& job : notice.jobs) due[job.kind] = job.due_ms;
  };
  auto a = shared.open("a");
  auto b = shared.open("b", std::move(options));
  constexpr int64_t kLater = 4'000'000'000'000;
  for (const char* kind : {"mail/a", "mail/b", "mail/none", "sweep"}) CHECK(claim(*b, kind, 1, 1000).empty());
  const auto add = [&](const char* kind, int64_t due_ms) {
    REQUIRE(commit(*a, one(JobAddOp{kind, "t1", "", due_ms, "body"})).status.ok());
  };
  add("mail/a", kLater + 2);
  add("mail/a", kLater + 1);
  add("mail/b", kLater + 3);
  add("mail/unclaimed", kLater);
  add("sweep", 5);
  const std::map<std::string, int64_t> expected = {
      {"mail/a", kLater + 1}, {"mail/b", kLater + 3}, {"sweep", 5}};
  CHECK(within(60s, [&] {
    const std::lock_guard lock(mutex);
    return due == expected;
  }));
}

TEST_CASE("a node whose process died is found by its lease, and its jobs are free") {
  SharedDatabase shared;
  auto a = shared.open("a");
  add_dead_node(shared, "dead-1");
  CHECK(is_buried(shared, "dead-1"));
  CHECK(claim(*a, "sweep", 1, 1000).size() == 1);
  a.reset();
  CHECK(shared.value("SELECT COUNT(*) FROM core_node WHERE state = 'live'") == "0");
}

TEST_CASE("the rows of starts that ended long ago are removed, and the epochs continue") {
  SharedDatabase shared;
  std::atomic<int64_t> now_ms{1'800'000'000'000};
  const auto open = [&] {
    StoreOptions options;
    options.now_ms = [&] { return now_ms.load(); };
    return shared.open("a", std::move(options));
  };
  for (int i = 0; i < 3; ++i) open();
  CHECK(shared.value("SELECT COUNT(*) FROM core_node") == "3");
  now_ms += int64_t{31} * 24 * 3600 * 1000;
  const auto last = open();
  CHECK(last->epoch() == 4);
  CHECK(shared.value("SELECT COUNT(*) FROM core_node") == "1");
}
