#include "store/store.h"

#include <sys/stat.h>

#include "core/store/fixture.h"

using namespace store_test;

TEST_CASE("each start has its own epoch") {
  TempDir dir;
  for (int64_t expected : {1, 2, 3}) {
    auto store = open_store(dir.path / "store.db", {});
    REQUIRE(store.ok());
    CHECK((*store)->epoch() == expected);
  }
  StoreOptions other;
  other.node = "other";
  auto store = open_store(dir.path / "store.db", std::move(other));
  REQUIRE(store.ok());
  CHECK((*store)->epoch() == 1);
}

TEST_CASE("a second store on the same database is refused") {
  TempDir dir;
  auto first = open_store(dir.path / "store.db", {});
  REQUIRE(first.ok());
  auto second = open_store(dir.path / "store.db", {});
  REQUIRE_FALSE(second.ok());
  CHECK(second.error().code == Code::conflict);
  CHECK(second.error().text.find("another process uses this database") != std::string::npos);
}

TEST_CASE("the store's files are private" SQLITE_ONLY) {
  Notes notes;
  REQUIRE(commit(*notes.store, notes.add(1)).status.ok());
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(notes.dir.path)) {
    struct stat info {};
    ::stat(entry.path().c_str(), &info);
    INFO(entry.path().string());
    CHECK((info.st_mode & 077) == 0);
    ++files;
  }
  CHECK(files == 5);  // database, log, its index, lock, key
}

TEST_CASE("a file that cannot be a database is refused by name" SQLITE_ONLY) {
  TempDir dir;
  auto missing = open_store(dir.path / "no" / "store.db", {});
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().code == Code::unavailable);
  CHECK(missing.error().text.find("no/store.db.lock") != std::string::npos);
  FILE* file = std::fopen((dir.path / "store.db").c_str(), "w");
  for (int i = 0; i < 1000; ++i) std::fputs("not a database, surely\n", file);
  std::fclose(file);
  auto other = open_store(dir.path / "store.db", {});
  REQUIRE_FALSE(other.ok());
  CHECK(other.error().text.find("file is not a database") != std::string::npos);
}

TEST_CASE("a query after a commit sees its changes, from many threads") {
  Notes notes;
  std::atomic<int> stale{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        int64_t key = t * 1000 + i;
        if (!commit(*notes.store, notes.add(key)).status.ok()) ++stale;
        auto rows = query(*notes.store, notes.id("get"), {key});
        if (!rows || rows->row_count() != 1) ++stale;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(stale == 0);
}

TEST_CASE("a key that an INSERT leaves out is the next number") {
  Notes notes;
  Store& store = *notes.store;
  REQUIRE(store.register_owner("visits", kVisits).ok());
  for (const char* who : {"Eva", "Otto"})
    REQUIRE(commit(store, one(ExecOp{*store.statement("visits", "add"), {who}, 1})).status.ok());
  CHECK(query(store, *store.statement("visits", "last"))->integer(0, 1) == 2);
}

TEST_CASE("a query that takes too long is interrupted") {
  StoreOptions options;
  options.query_timeout_ms = 50;
  Notes notes(std::move(options));
  REQUIRE(notes.store
              ->register_owner(
                  "slow",
                  "-- name: count\nWITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE "
                  "i < $1) SELECT MAX(i) FROM n")
              .ok());
  StatementId count = *notes.store->statement("slow", "count");
  CHECK(query(*notes.store, count, {int64_t{1} << 60}).error().code == Code::timeout);
  CHECK(query(*notes.store, count, {10})->integer(0, 0) == 10);
}

TEST_CASE("a missing sealing key is created again, with a warning" SQLITE_ONLY) {
  TempDir dir;
  std::vector<std::string> warnings;
  auto open = [&] {
    StoreOptions options;
    options.warn = [&](const std::string& text) { warnings.push_back(text); };
    return open_store(dir.path / "store.db", std::move(options)).ok();
  };
  REQUIRE(open());
  REQUIRE(open());
  CHECK(warnings.empty());
  std::filesystem::remove(dir.path / "sealing.key");
  REQUIRE(open());
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].find("sealing.key is missing and was created again") != std::string::npos);
}

TEST_CASE("a statement's number identifies its owner") {
  Notes notes;
  CHECK(notes.store->owner_of(notes.id("add")) == "notes");
  CHECK(notes.store->owner_of({}).empty());
  CHECK(notes.store->statement("notes", "none").error().code == Code::not_found);
  CHECK(notes.store->statement("notes", "none").error().text == "'notes' has no statement 'none'");
}
