#include "store/json_rows.h"

#include "fixture.h"
#include "store/limits.h"

using namespace store_test;

namespace {

constexpr std::string_view kSchema = R"(
-- migration: 1
CREATE TABLE shop_item (id BIGINT PRIMARY KEY, name TEXT NOT NULL, price REAL, sold_ms BIGINT, raw {{BYTES}});
-- name: add
INSERT INTO shop_item VALUES ($1, $2, $3, $4, $5);
-- name: all
SELECT id, name, price, sold_ms, raw FROM shop_item WHERE id >= $1 ORDER BY id;
-- name: now
SELECT id, {{NOW_MS}} FROM shop_item ORDER BY id;
-- name: rename
UPDATE shop_item SET name = $2 WHERE id = $1;
)";
constexpr std::string_view kOther = R"(
-- migration: 1
CREATE TABLE depot_item (id BIGINT PRIMARY KEY);
-- name: add
INSERT INTO depot_item VALUES ($1);
)";

struct Shop {
  Shop() {
    StoreOptions options;
    options.now_ms = [this] { return ++now_ms; };
    auto opened = open_store(folder.path / "store.db", options);
    REQUIRE(opened);
    store = *std::move(opened);
    REQUIRE(store->register_owner("shop", kSchema));
    REQUIRE(store->register_owner("depot", kOther));
  }
  CommitResult exec(const char* owner, const char* name, Values values) {
    Transaction tx;
    tx.ops.emplace_back(ExecOp{store->statement(owner, name).value_or({}), std::move(values), kAnyChanges});
    return commit(*store, std::move(tx));
  }
  JsonQuery query(const char* name, std::string members, Values values) const {
    return {store->statement("shop", name).value_or({}), std::move(values), std::move(members)};
  }
  Result<JsonRowsPtr> read(const JsonQuery& asked) {
    return wait_for<Result<JsonRowsPtr>>([&](auto done) { store->query_json(asked, done); },
                                         Error{Code::timeout, "query_json"});
  }
  std::string text(const std::string& members, int64_t from = 0) {
    const auto rows = read(query("all", members, {from}));
    return rows ? (*rows)->text : rows.error().text;
  }
  std::atomic<int64_t> now_ms{1'000'000'000'000};
  TempDir folder;
  std::unique_ptr<Store> store;
};

}  // namespace

TEST_CASE("Rows are written as JSON objects, with a member for each column") {
  Shop shop;
  CHECK(shop.text("id name price soldUtc raw") == "[]");
  REQUIRE(shop.exec("shop", "add", {1, "a \"pen\"\n", 2.5, 1763620612007, Value::bytes("\x01\xff")}).status);
  REQUIRE(shop.exec("shop", "add", {2, "gr\xc3\xbcn", Value(), Value(), Value()}).status);
  CHECK(shop.text("id name price soldMs raw") ==
        R"([{"id":1,"name":"a \"pen\"\n","price":2.5,"soldMs":1763620612007,"raw":"01ff"},)"
        "{\"id\":2,\"name\":\"gr\xc3\xbcn\",\"price\":null,\"soldMs\":null,\"raw\":null}]");
  const auto rows = shop.read(shop.query("all", "id name price soldMs raw", {0}));
  REQUIRE(rows);
  CHECK((*rows)->count == 2);
}

TEST_CASE("Members of JSON rows may be times, left out when empty, or not written") {
  Shop shop;
  REQUIRE(shop.exec("shop", "add", {1, "pen", 2.0, 1763620612007, Value()}).status);
  REQUIRE(shop.exec("shop", "add", {2, "ink", Value(), Value(), Value()}).status);
  CHECK(shop.text("- name - soldUtc@ -") ==
        R"([{"name":"pen","soldUtc":"2025-11-20T06:36:52.007Z"},{"name":"ink","soldUtc":""}])");
  CHECK(shop.text("- - price- soldUtc@? -") ==
        R"([{"price":2,"soldUtc":"2025-11-20T06:36:52.007Z"},{"soldUtc":null}])");
  CHECK(shop.text("id - - soldUtc@- -") == R"([{"id":1,"soldUtc":"2025-11-20T06:36:52.007Z"},{"id":2}])");
  CHECK(shop.text("- - - - -") == "[{},{}]");
}

TEST_CASE("JSON rows whose members do not match the columns are refused") {
  Shop shop;
  CHECK(shop.text("id name") == "shop/all: has 5 columns, but 2 members");
  CHECK(shop.text("id  name price soldMs") == "the members of JSON rows are words separated by a blank");
  const auto writes = shop.read(shop.query("rename", "", {1, "x"}));
  REQUIRE_FALSE(writes);
  CHECK(writes.error().code == Code::misuse);
}

TEST_CASE("JSON rows are kept until a commit writes to their owner's tables" SQLITE_ONLY) {
  Shop shop;
  REQUIRE(shop.exec("shop", "add", {1, "pen", 2.0, Value(), Value()}).status);
  const JsonQuery all = shop.query("all", "id name - - -", {0});
  CHECK(shop.store->kept_json(all) == nullptr);
  const auto first = shop.read(all);
  REQUIRE(first);
  CHECK(shop.store->kept_json(all) == *first);
  CHECK(shop.store->kept_json(shop.query("all", "id name - - -", {1})) == nullptr);
  CHECK(shop.store->kept_json(shop.query("all", "id - - - -", {0})) == nullptr);

  REQUIRE(shop.exec("depot", "add", {1}).status);
  CHECK(shop.store->kept_json(all) == *first);
  CHECK_FALSE(shop.exec("shop", "add", {1, "again", 2.0, Value(), Value()}).status);
  CHECK(shop.store->kept_json(all) == *first);
  REQUIRE(shop.exec("shop", "rename", {1, "ink"}).status);
  CHECK(shop.store->kept_json(all) == nullptr);
  const auto here = shop.store->query_json_here(all);
  REQUIRE(here);
  REQUIRE(*here);
  CHECK((**here)->text == R"([{"id":1,"name":"ink"}])");
  CHECK(shop.store->kept_json(all) == **here);
}

TEST_CASE("Kept JSON rows are not used any more when the first commit of the group is reported") {
  Shop shop;
  REQUIRE(shop.exec("shop", "add", {1, "pen", 2.0, Value(), Value()}).status);
  const JsonQuery all = shop.query("all", "id name - - -", {0});
  REQUIRE(shop.read(all));
  const auto write = [&](const char* owner, const char* name, Values values) {
    Transaction tx;
    tx.ops.emplace_back(
        ExecOp{shop.store->statement(owner, name).value_or({}), std::move(values), kAnyChanges});
    return tx;
  };
  // The writer is held while the next two are posted, so that they become one group.
  std::promise<void> held, open, finished;
  shop.store->commit(write("depot", "add", {1}), [&](const CommitResult&) {
    held.set_value();
    open.get_future().wait_for(std::chrono::seconds(60));
  });
  REQUIRE(held.get_future().wait_for(std::chrono::seconds(60)) == std::future_status::ready);
  std::atomic<bool> is_kept{true};
  shop.store->commit(write("depot", "add", {2}),
                     [&](const CommitResult&) { is_kept = shop.store->kept_json(all) != nullptr; });
  shop.store->commit(write("shop", "rename", {1, "ink"}), [&](const CommitResult& result) {
    CHECK(result.status.ok());
    finished.set_value();
  });
  open.set_value();
  REQUIRE(finished.get_future().wait_for(std::chrono::seconds(60)) == std::future_status::ready);
  CHECK_FALSE(is_kept);
}

TEST_CASE("JSON rows that depend on the clock are not kept") {
  Shop shop;
  REQUIRE(shop.exec("shop", "add", {1, "pen", 2.0, Value(), Value()}).status);
  const JsonQuery now = shop.query("now", "id nowMs", {});
  const auto first = shop.read(now);
  REQUIRE(first);
  CHECK(shop.store->kept_json(now) == nullptr);
  const auto second = shop.read(now);
  REQUIRE(second);
  CHECK((*first)->text != (*second)->text);
}

TEST_CASE("JSON rows are kept only if SQLite reports no function that may change its result" SQLITE_ONLY) {
  const char* const changing[] = {
      "SELECT id, random () AS n FROM dice_item",
      "SELECT id, random/**/() AS n FROM dice_item",
      "SELECT id, RANDOM() AS n FROM dice_item",
      "SELECT id, hex(randomblob(8)) AS n FROM dice_item",
      "SELECT id, n FROM dice_view",
      "SELECT id, CURRENT_TIMESTAMP AS n FROM dice_item",
      "SELECT id, strftime ('%f', 'now') AS n FROM dice_item",
      "SELECT id, (SELECT changes () FROM dice_item) AS n FROM dice_item",
      "WITH dice_one AS (SELECT id, random () AS n FROM dice_item) SELECT id, n FROM dice_one",
      "SELECT id, 1 AS n FROM dice_item WHERE random () <> 0"};
  const char* const steady[] = {
      "WITH dice_update(id, n) AS (SELECT id, 7 FROM dice_item) SELECT id, n FROM dice_update",
      "SELECT id, 'now_ms() random() current_date' AS n FROM dice_item",
      "SELECT id, COALESCE(UPPER(lower('x')), json_extract('{\"a\":1}', '$.a')) AS n FROM dice_item",
      "SELECT MAX(id), COUNT(*) AS n FROM dice_item WHERE id BETWEEN 0 AND 9 AND 'x' LIKE 'X'"};
  std::string schema =
      "-- migration: 1\nCREATE TABLE dice_item (id BIGINT PRIMARY KEY);\nINSERT INTO dice_item VALUES (1);\n"
      "CREATE VIEW dice_view AS SELECT id, random() AS n FROM dice_item;\n";
  int number = 0;
  for (const char* sql : changing) schema += "-- name: s" + std::to_string(number++) + "\n" + sql + ";\n";
  for (const char* sql : steady) schema += "-- name: s" + std::to_string(number++) + "\n" + sql + ";\n";
  Shop shop;
  const Status registered = shop.store->register_owner("dice", schema);
  REQUIRE_MESSAGE(registered.ok(), (registered ? "" : registered.error().text));
  number = 0;
  const auto is_kept = [&] {
    const JsonQuery query{
        shop.store->statement("dice", "s" + std::to_string(number++)).value_or({}), {}, "id n"};
    const auto read = shop.read(query);
    CHECK_MESSAGE(read.ok(), (read ? "" : read.error().text));
    return shop.store->kept_json(query) != nullptr;
  };
  for (const char* sql : changing) CHECK_MESSAGE(!is_kept(), sql);
  for (const char* sql : steady) CHECK_MESSAGE(is_kept(), sql);
}

TEST_CASE(
    "A view does not lead to the tables of another owner, so a commit of that owner changes no result") {
  Shop shop;
  const Status refused =
      shop.store->register_owner("spy",
                                 "-- migration: 1\nCREATE VIEW spy_view AS SELECT id FROM shop_item;\n"
                                 "-- name: all\nSELECT id FROM spy_view;\n");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Code::denied);
}

TEST_CASE(
    "Queries of different parameters and members have different results, whatever bytes these "
    "hold" SQLITE_ONLY) {
  Shop shop;
  REQUIRE(shop.store->register_owner("pair",
                                     "-- migration: 1\nCREATE TABLE pair_t (id BIGINT);\n"
                                     "INSERT INTO pair_t VALUES (1);\n"
                                     "-- name: two\nSELECT $1 AS a, $2 AS b FROM pair_t;\n"));
  const StatementId two = shop.store->statement("pair", "two").value_or({});
  const std::vector<std::vector<Value>> all = {
      {"a", "b"}, {"ab", ""}, {"", "ab"},     {"1", 1},
      {1, "1"},   {1.0, "1"}, {Value(), "1"}, {Value::bytes("1"), "1"}};
  for (const auto& values : all) {
    CHECK(shop.store->kept_json({two, values, "a b"}) == nullptr);
    CHECK(shop.read({two, values, "a b"}));
  }
  CHECK(shop.store->kept_json({two, {"a", "b"}, "a b"}) != nullptr);
  CHECK(shop.store->kept_json({two, {"a"}, "a b"}) == nullptr);
  // The last bytes of the first key as members of a query without the second value.
  const ValueType text_type = ValueType::text;
  const size_t size = 1;
  std::string rest(reinterpret_cast<const char*>(&text_type), sizeof text_type);
  rest += std::string(sizeof(int64_t) + sizeof(double), '\0');
  rest.append(reinterpret_cast<const char*>(&size), sizeof size).append("ba b");
  CHECK(shop.store->kept_json({two, {"a"}, rest}) == nullptr);
  // A query with large parameters is answered, and not kept.
  const JsonQuery large{two, {std::string(kMaxCachedKeyBytes, 'x'), ""}, "a b"};
  CHECK(shop.read(large));
  CHECK(shop.store->kept_json(large) == nullptr);
}

TEST_CASE("A list that is read while rows are added never misses a row that was committed before") {
  Shop shop;
  const JsonQuery all = shop.query("all", "id - - - -", {0});
  std::atomic<int64_t> committed{0};
  std::atomic<bool> missed{false};
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i)
    readers.emplace_back([&] {
      while (committed < 200) {
        const auto least = static_cast<uint64_t>(committed.load());
        auto rows = shop.store->kept_json(all);
        if (!rows) {
          auto here = shop.store->query_json_here(all);
          if (here && *here) rows = **here;
        }
        if (rows && rows->count < least) missed = true;
      }
    });
  for (int64_t id = 1; id <= 200; ++id) {
    REQUIRE(shop.exec("shop", "add", {id, "pen", 2.0, Value(), Value()}).status);
    committed = id;
  }
  for (std::thread& reader : readers) reader.join();
  CHECK_FALSE(missed);
}
