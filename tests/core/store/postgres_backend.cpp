// What the store does on PostgreSQL only: the server goes away and comes back, and processes share a
// database.
#include <array>
#include <map>
#include <set>
#include <sstream>

#include "core/store/fixture.h"
#include "store/copy_store.h"
#include "store/store.h"
#include "support/postgres_server.h"
#include "support/within.h"

using namespace store_test;
using namespace std::chrono_literals;
using patchbay::test::Postgres;
using patchbay::test::PostgresClient;

namespace {

// A PostgreSQL server, and stores on its one database.
struct Shared {
  Shared() {
    auto started = Postgres::start();
    REQUIRE_MESSAGE(started.ok(), (started ? "" : started.error().text));
    server = *std::move(started);
  }
  std::unique_ptr<Store> open(const std::string& name, StoreOptions options = {}) {
    std::filesystem::create_directories(dir.path / name);
    options.postgres = server->conninfo();
    auto opened = Store::open(dir.path / name / "store.db", std::move(options));
    REQUIRE_MESSAGE(opened.ok(), (opened ? "" : opened.error().text));
    const Status known = (*opened)->register_owner("notes", kNotes);
    REQUIRE_MESSAGE(known.ok(), (known ? "" : known.error().text));
    return *std::move(opened);
  }
  std::string value(const std::string& sql) const {
    auto client = PostgresClient::connect(server->conninfo());
    REQUIRE(client.ok());
    auto found = (*client)->value(sql);
    REQUIRE_MESSAGE(found.ok(), (found ? "" : found.error().text));
    return *found;
  }

  TempDir dir;
  std::unique_ptr<Postgres> server;
};

Transaction add_note(Store& store, int64_t key, const std::string& tenant = "t1") {
  Transaction tx = one(ExecOp{*store.statement("notes", "add"), {key, "x"}, 1});
  tx.add(event("note.added", std::to_string(key), tenant));
  return tx;
}

}  // namespace

TEST_CASE("two processes on one database have different names, and their events one order") {
  Shared shared;
  auto a = shared.open("a"), b = shared.open("b");
  CHECK(shared.value("SELECT COUNT(DISTINCT id) FROM core_node WHERE state = 'live'") == "2");
  constexpr int kEach = 200;
  std::atomic<int> good{0};
  std::vector<std::thread> threads;
  for (Store* store : {a.get(), b.get()})
    threads.emplace_back([&, store] {
      for (int i = 0; i < kEach; ++i) {
        const int64_t key = (store == a.get() ? 0 : 1'000'000) + i;
        if (commit(*store, add_note(*store, key, i % 2 == 0 ? "t1" : "t2")).status) ++good;
      }
    });
  // A reader that continues after the last id it saw misses none.
  std::vector<LoggedEvent> seen;
  const auto read_more = [&] {
    for (LoggedEvent& event : read_log(*a, seen.empty() ? 0 : seen.back().id))
      seen.push_back(std::move(event));
    return seen.size() == 2 * kEach;
  };
  CHECK(within(60s, read_more));
  for (std::thread& thread : threads) thread.join();
  CHECK(good == 2 * kEach);
  std::map<std::string, int64_t> last_seq;
  for (const LoggedEvent& event : seen) CHECK(event.tenant_seq == ++last_seq[event.tenant]);
}

TEST_CASE("an event of one process is pending for a consumer of another, which is woken") {
  Shared shared;
  std::atomic<int> woken{0};
  StoreOptions options;
  options.on_committed = [&](CommitNotice&& notice) {
    if (!notice.is_elsewhere) return;
    for (const LoggedEvent& event : notice.events) woken += event.topic == "note.added" ? 1 : 0;
  };
  auto a = shared.open("a");
  auto b = shared.open("b", std::move(options));
  REQUIRE(add_consumer(*b, "b/c", {"note.*"}).ok());
  REQUIRE(commit(*a, add_note(*a, 1)).status.ok());
  CHECK(pending(*b, "b/c").size() == 1);
  CHECK(within(60s, [&] { return woken == 1; }));
}

TEST_CASE("a kept list shows this process's commits at once, and those of others after a moment") {
  Shared shared;
  auto a = shared.open("a"), b = shared.open("b");
  const JsonQuery count{*b->statement("notes", "count"), {}, "n"};
  const auto read = [&] {
    return wait_for<Result<JsonRowsPtr>>([&](auto done) { b->query_json(count, done); },
                                         Error{Code::timeout, "query_json"});
  };
  const auto seen = [&] {
    if (const auto kept = b->kept_json(count)) return kept->text;
    const auto rows = read();
    return rows ? (*rows)->text : rows.error().text;
  };
  const auto is_kept = [&] { return read().ok() && b->kept_json(count) != nullptr; };
  CHECK(within(60s, is_kept));  // again, because a slow machine may take longer than it is kept
  for (int64_t key = 1; key <= 20; ++key) {
    REQUIRE(commit(*b, one(ExecOp{*b->statement("notes", "add"), {key, "x"}, 1})).status.ok());
    CHECK(seen() == "[{\"n\":" + std::to_string(key) + "}]");
  }
  REQUIRE(commit(*a, one(ExecOp{*a->statement("notes", "add"), {21, "x"}, 1})).status.ok());
  CHECK(within(60s, [&] { return seen() == R"([{"n":21}])"; }));
}

TEST_CASE("who hears of another process's event reads the state after it") {
  Shared shared;
  std::atomic<bool> heard{false};
  std::string when_heard;
  JsonQuery count;
  std::atomic<Store*> reader{nullptr};
  StoreOptions options;
  options.on_committed = [&](CommitNotice&& notice) {
    if (!notice.is_elsewhere || notice.events.empty() || heard) return;
    const auto kept = reader.load()->kept_json(count);
    when_heard = kept ? kept->text : "not kept";
    heard = true;
  };
  auto a = shared.open("a"), b = shared.open("b", std::move(options));
  count = {*b->statement("notes", "count"), {}, "n"};
  reader = b.get();
  const auto read = [&] {
    return wait_for<Result<JsonRowsPtr>>([&](auto done) { b->query_json(count, done); },
                                         Error{Code::timeout, "query_json"});
  };
  REQUIRE(read().ok());
  REQUIRE(commit(*a, add_note(*a, 1)).status.ok());
  CHECK(within(60s, [&] { return heard.load(); }));
  CHECK(when_heard != R"([{"n":0}])");
}

TEST_CASE("a job of one process is claimed once, and its kind's due time reaches the others") {
  Shared shared;
  std::atomic<bool> told{false};
  StoreOptions options;
  options.on_committed = [&](CommitNotice&& notice) {
    if (notice.is_elsewhere && !notice.jobs.empty() && notice.jobs.front().kind == "sweep") told = true;
  };
  auto a = shared.open("a");
  auto b = shared.open("b", std::move(options));
  CHECK(claim(*b, "sweep", 10, 60'000).empty());
  Transaction tx;
  for (int i = 0; i < 50; ++i) tx.add(JobAddOp{"sweep", "t1", std::to_string(i), 0, "body"});
  REQUIRE(commit(*a, std::move(tx)).status.ok());
  CHECK(within(60s, [&] { return told.load(); }));
  std::atomic<size_t> claimed{0};
  std::vector<std::thread> threads;
  for (Store* store : {a.get(), b.get()})
    threads.emplace_back([&, store] {
      for (;;) {
        const auto jobs = claim(*store, "sweep", 7, 60'000);
        if (jobs.empty()) return;
        claimed += jobs.size();
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(claimed == 50);
  CHECK(shared.value("SELECT COUNT(*) FROM core_job WHERE held_by <> '' AND held_epoch > 0") == "50");
}

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
  Shared shared;
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

TEST_CASE("while PostgreSQL is away writes and reads are refused, and then work again without a restart") {
  Shared shared;
  std::mutex mutex;
  StoreOptions options;
  options.postgres_password = "a-secret-word";
  auto store = shared.open("a", std::move(options));
  REQUIRE(commit(*store, add_note(*store, 1)).status.ok());
  const StatementId count = *store->statement("notes", "count");
  REQUIRE(query(*store, count).ok());
  shared.server->crash();
  for (int i = 0; i < 5; ++i) {
    const CommitResult refused = commit(*store, add_note(*store, 100 + i));
    REQUIRE_FALSE(refused.status.ok());
    CHECK(refused.status.error().code == Code::unavailable);
    CHECK(refused.status.error().text.find("PostgreSQL") != std::string::npos);
    CHECK(refused.status.error().text.find("a-secret-word") == std::string::npos);
    const auto unread = query(*store, count);
    REQUIRE_FALSE(unread.ok());
    CHECK(unread.error().code == Code::unavailable);
  }
  REQUIRE(shared.server->resume().ok());
  CHECK(within(60s, [&] { return commit(*store, add_note(*store, 2)).status.ok(); }));
  CHECK(within(60s, [&] { return query(*store, count).ok(); }));
  CHECK(query(*store, count)->integer(0, 0) == 2);  // none that was refused
}

// PATCHBAY_KILLS sets the number of rounds.
TEST_CASE(
    "a PostgreSQL that crashes loses nothing that was acknowledged, and what was refused did not happen") {
  Shared shared;
  auto store = shared.open("a");
  const StatementId add = *store->statement("notes", "add");
  const char* wanted = ::getenv("PATCHBAY_KILLS");
  const int rounds = wanted ? std::atoi(wanted) : 5;
  std::atomic<int64_t> next{1};
  std::mutex mutex;
  std::set<int64_t> done, refused;
  for (int round = 0; round < rounds; ++round) {
    std::atomic<bool> stop{false};
    std::thread writer([&] {
      while (!stop) {
        std::array<std::future<void>, 8> answers;
        for (auto& answer : answers) {
          auto answered = std::make_shared<std::promise<void>>();
          answer = answered->get_future();
          const int64_t key = next++;
          store->commit(one(ExecOp{add, {key, "x"}, 1}), [&, key, answered](const CommitResult& result) {
            {
              const std::lock_guard lock(mutex);
              (result.status ? done : refused).insert(key);
            }
            answered->set_value();
          });
        }
        for (auto& answer : answers) answer.wait();
        std::this_thread::sleep_for(1ms);  // fewer that are refused
      }
    });
    const size_t before = done.size();
    CHECK(within(60s, [&] {
      const std::lock_guard lock(mutex);
      return done.size() > before + 20;
    }));
    shared.server->crash();
    // A commit that was under way may be in doubt until the database is back; one that comes later is
    // refused.
    std::promise<Status> late;
    store->commit(one(ExecOp{add, {next++, "x"}, 1}),
                  [&](const CommitResult& result) { late.set_value(result.status); });
    auto answer = late.get_future();
    REQUIRE(answer.wait_for(60s) == std::future_status::ready);
    const Status refusal = answer.get();
    REQUIRE_FALSE(refusal.ok());
    CHECK(refusal.error().code == Code::unavailable);
    REQUIRE(shared.server->resume().ok());
    stop = true;
    writer.join();
    CHECK(within(60s, [&] { return query(*store, *store->statement("notes", "count")).ok(); }));
    std::set<int64_t> found;
    std::istringstream ids(shared.value("SELECT string_agg(CAST(id AS TEXT), ' ') FROM notes_note"));
    for (int64_t id = 0; ids >> id;) found.insert(id);
    CHECK(found == done);
    refused.clear();
  }
}

TEST_CASE("a node whose process died is found by its lease, and its jobs are free") {
  Shared shared;
  auto a = shared.open("a");
  {
    auto client = PostgresClient::connect(shared.server->conninfo());
    REQUIRE(client.ok());
    REQUIRE((*client)
                ->run("INSERT INTO core_node (id, epoch, state, started_ms, lease_until_ms) VALUES "
                      "('node-dead', 3, 'live', 0, 0)")
                .ok());
    REQUIRE((*client)
                ->run("INSERT INTO core_job (id, kind, tenant, job_key, due_ms, fence, tries, body, held_by, "
                      "held_from_ms, held_epoch) VALUES (1, 'sweep', 't', '', 4000000000000, 1, 1, '', "
                      "'node-dead', 5, 3)")
                .ok());
  }
  CHECK(within(60s,
               [&] { return shared.value("SELECT state FROM core_node WHERE id = 'node-dead'") == "dead"; }));
  CHECK(claim(*a, "sweep", 1, 1000).size() == 1);
  a.reset();
  CHECK(shared.value("SELECT COUNT(*) FROM core_node WHERE state = 'live'") == "0");
}

TEST_CASE("the rows of starts that ended long ago are removed, and the epochs continue") {
  Shared shared;
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

TEST_CASE("a database of a newer version is refused") {
  Shared shared;
  shared.open("a");
  {
    auto client = PostgresClient::connect(shared.server->conninfo());
    REQUIRE((*client)->run("INSERT INTO core_migration VALUES ('core', 9999, 'x', 0)").ok());
  }
  StoreOptions options;
  options.postgres = shared.server->conninfo();
  auto opened = Store::open(shared.dir.path / "a" / "store.db", std::move(options));
  REQUIRE_FALSE(opened.ok());
  CHECK(opened.error().code == Code::conflict);
  CHECK(opened.error().text.find("run the newer version") != std::string::npos);
}

TEST_CASE("an address that is none is refused without repeating it") {
  TempDir dir;
  StoreOptions options;
  options.postgres = "postgresql://user:hidden-word@host:none/x?nokey=1";
  auto opened = Store::open(dir.path / "store.db", std::move(options));
  REQUIRE_FALSE(opened.ok());
  CHECK(opened.error().code == Code::invalid);
  CHECK(opened.error().text.find("hidden-word") == std::string::npos);
}

TEST_CASE("a store is copied from SQLite to PostgreSQL, once, with its ids, numbers and migrations") {
  Shared shared;
  const auto path = shared.dir.path / "from" / "store.db";
  std::filesystem::create_directories(path.parent_path());
  int64_t last_id = 0;
  {
    auto store = *Store::open(path, {});
    REQUIRE(store->register_owner("notes", kNotes).ok());
    REQUIRE(add_consumer(*store, "c", {"note.*"}).ok());
    for (int64_t key = 1; key <= 700; ++key) REQUIRE(commit(*store, add_note(*store, key)).status.ok());
    last_id = pending(*store, "c").back().id;
  }
  const auto copied = copy_store(path, shared.server->conninfo(), "");
  REQUIRE_MESSAGE(copied.ok(), (copied ? "" : copied.error().text));
  const auto again = copy_store(path, shared.server->conninfo(), "");
  REQUIRE_FALSE(again.ok());
  CHECK(again.error().code == Code::conflict);

  auto store = shared.open("from");
  CHECK(query(*store, *store->statement("notes", "count"))->integer(0, 0) == 700);
  CHECK(pending(*store, "c").size() == 700);
  REQUIRE(commit(*store, add_note(*store, 701)).status.ok());
  const auto all = pending(*store, "c");
  REQUIRE(all.size() == 701);
  CHECK(all.back().id > last_id);
  CHECK(all.back().tenant_seq == 701);
}
