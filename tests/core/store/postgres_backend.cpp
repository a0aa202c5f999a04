// What the store does on PostgreSQL only: the server goes away and comes back, and stores are copied to it.
#include <array>
#include <set>
#include <sstream>

#include "core/store/shared_database.h"
#include "store/copy_store.h"
#include "support/within.h"

using namespace store_test;
using namespace std::chrono_literals;

TEST_CASE("while PostgreSQL is away writes and reads are refused, and then work again without a restart") {
  SharedDatabase shared;
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

TEST_CASE("while PostgreSQL stands still a read is refused, and a store closes") {
  SharedDatabase shared;
  StoreOptions options;
  options.query_timeout_ms = 2000;
  auto a = shared.open("a", std::move(options)), b = shared.open("b");
  const StatementId count = *a->statement("notes", "count");
  REQUIRE(query(*a, count).ok());
  shared.server->freeze();
  auto closed = std::async(std::launch::async, [&] { b.reset(); });
  const auto unread = query(*a, count);
  CHECK((!unread && unread.error().code == Code::unavailable));
  CHECK(closed.wait_for(60s) == std::future_status::ready);
  shared.server->thaw();
  CHECK(within(60s, [&] { return query(*a, count).ok(); }));
}

// PATCHBAY_KILLS sets the number of rounds.
TEST_CASE(
    "a PostgreSQL that crashes loses nothing that was acknowledged, and what was refused did not happen") {
  SharedDatabase shared;
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

TEST_CASE("a database of a newer version is refused") {
  SharedDatabase shared;
  shared.open("a");
  {
    auto client = test::PostgresClient::connect(shared.server->conninfo());
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
  SharedDatabase shared;
  const auto path = shared.dir.path / "from" / "store.db";
  std::filesystem::create_directories(path.parent_path());
  int64_t last_id = 0;
  {
    auto store = *Store::open(path, {});
    REQUIRE(store->register_owner("notes", kNotes).ok());
    REQUIRE(store->register_owner("visits", kVisits).ok());
    REQUIRE(commit(*store, one(ExecOp{*store->statement("visits", "add"), {"Eva"}, 1})).status.ok());
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

  REQUIRE(store->register_owner("visits", kVisits).ok());
  REQUIRE(commit(*store, one(ExecOp{*store->statement("visits", "add"), {"Otto"}, 1})).status.ok());
  CHECK(query(*store, *store->statement("visits", "last"))->integer(0, 1) == 2);
}
