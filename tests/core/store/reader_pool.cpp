#include "store/reader_pool.h"

#include <array>

#include "fixture.h"
#include "store/limits.h"
#include "support/within.h"

using namespace store_test;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view kSchema = R"(
-- migration: 1
CREATE TABLE shop_item (id BIGINT PRIMARY KEY, name TEXT NOT NULL);
-- name: add
INSERT INTO shop_item VALUES ($1, $2);
-- name: names
SELECT name FROM shop_item ORDER BY id;
-- name: now
SELECT {{NOW_MS}} AS now;
-- name: count_long
WITH RECURSIVE shop_n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM shop_n WHERE i < $1)
SELECT COUNT(i) FROM shop_n;
)";

struct Shop {
  explicit Shop(StoreOptions options = {}) {
    auto opened = open_store(folder.path / "store.db", std::move(options));
    REQUIRE(opened);
    store = *std::move(opened);
    REQUIRE(store->register_owner("shop", kSchema));
  }
  StatementId operator[](const char* name) const { return store->statement("shop", name).value_or({}); }
  void add(int64_t id, const char* name) {
    Transaction tx;
    tx.ops.emplace_back(ExecOp{(*this)["add"], {id, name}, 1});
    REQUIRE(commit(*store, std::move(tx)).status);
  }
  TempDir folder;
  std::unique_ptr<Store> store;
};

// Holds the thread that reads the clock until it is opened.
struct Gate {
  std::promise<void> open;
  std::atomic<bool> reached{false};
};
thread_local Gate* gate = nullptr;

}  // namespace

TEST_CASE("A quick query is answered on the calling thread, and sees every commit before it" SQLITE_ONLY) {
  Shop shop;
  for (int64_t id = 1; id <= 3; ++id) {
    shop.add(id, "pen");
    const auto rows = shop.store->query_here(shop["names"], {});
    REQUIRE(rows);
    REQUIRE(*rows);
    CHECK((*rows)->row_count() == static_cast<size_t>(id));
  }
}

TEST_CASE("An error of a query on the calling thread names the statement" SQLITE_ONLY) {
  Shop shop;
  const auto rows = shop.store->query_here(shop["names"], {1});
  REQUIRE(rows);
  REQUIRE_FALSE(*rows);
  CHECK(rows->error().text.find("shop/names") != std::string::npos);
}

TEST_CASE("A query that takes long is left to the reader threads" SQLITE_ONLY) {
  Shop shop;
  CHECK_FALSE(shop.store->query_here(shop["count_long"], {10'000'000}));
  const auto rows = query(*shop.store, shop["count_long"], {1'000'000});
  REQUIRE(rows);
  CHECK(rows->integer(0, 0) == 1'000'000);
}

TEST_CASE("A statement that took long is not tried on the calling thread for a while" SQLITE_ONLY) {
  Shop shop;
  const StatementId counts = shop["count_long"];
  CHECK(shop.store->query_here(counts, {10}));
  CHECK_FALSE(shop.store->query_here(counts, {10'000'000}));
  for (int i = 0; i < kSlowQueries; ++i) CHECK_FALSE(shop.store->query_here(counts, {10}));
  CHECK(shop.store->query_here(counts, {10}));
}

TEST_CASE("A closed store answers no query on the calling thread") {
  Shop shop;
  shop.store->close();
  CHECK_FALSE(shop.store->query_here(shop["names"], {}));
}

TEST_CASE("Threads that query at once share the connections" SQLITE_ONLY) {
  Shop shop;
  shop.add(1, "pen");
  std::atomic<int> here{0}, posted{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int n = 0; n < 200; ++n) {
        const auto rows = shop.store->query_here(shop["names"], {});
        if (rows && *rows && (*rows)->row_count() == 1) ++here;
        if (!rows && query(*shop.store, shop["names"])) ++posted;
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(here + posted == 800);
  CHECK(here > 0);
}

TEST_CASE("A store closes although its last query waited for a connection when closing began" SQLITE_ONLY) {
  StoreOptions options;
  options.reader_threads = 2;
  options.max_queued = 1;
  options.now_ms = [] {
    if (gate) {
      gate->reached = true;
      gate->open.get_future().wait();
    }
    return int64_t{1};
  };
  Shop shop(std::move(options));
  std::array<Gate, 2> gates;
  std::array<std::thread, 2> callers;
  for (size_t i = 0; i < callers.size(); ++i)
    callers[i] = std::thread([&, i] {
      gate = &gates[i];
      static_cast<void>(shop.store->query_here(shop["now"], {}));
    });
  for (const Gate& held : gates) CHECK(within(60s, [&] { return held.reached.load(); }));
  std::atomic<bool> answered{false}, closing{false};
  shop.store->query(shop["names"], {}, [&](const Result<Rows>&) { answered = true; });
  const auto closed = std::async(std::launch::async, [&] { shop.store->close(); });
  CHECK(within(60s, [&] {
    shop.store->query(shop["names"], {}, [&](const Result<Rows>& refused) {
      if (!refused && refused.error().code == Code::gone) closing = true;
    });
    return closing.load();
  }));
  gates[0].open.set_value();
  CHECK(within(60s, [&] { return answered.load(); }));
  gates[1].open.set_value();
  CHECK(closed.wait_for(60s) == std::future_status::ready);
  for (std::thread& caller : callers) caller.join();
}
