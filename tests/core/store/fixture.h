// A store in a temporary folder, and its asynchronous calls as bounded waits.
#pragma once

#include <doctest/doctest.h>
#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "store/store.h"
#include "support/test_store.h"

namespace store_test {

using namespace patchbay;
using namespace patchbay::core;

struct TempDir {
  TempDir() {
    std::string pattern = (std::filesystem::temp_directory_path() / "patchbay-store-XXXXXX").string();
    path = ::mkdtemp(pattern.data());
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::filesystem::path path;
};

// Of a test of what only SQLite has.
#define SQLITE_ONLY *doctest::skip(::patchbay::test::on_postgres())

// Store::open on the database that the tests use.
inline Result<std::unique_ptr<Store>> open_store(const std::filesystem::path& path,
                                                 StoreOptions options = {}) {
  options.postgres = test::test_store(path);
  return Store::open(path, std::move(options));
}

// Returns the value that `start` passes to its done, or `late` after 20 s. The promise is shared, because the
// done may come later still.
template <class T, class Start>
T wait_for(Start start, T late) {
  auto promise = std::make_shared<std::promise<T>>();
  std::future<T> future = promise->get_future();
  start([promise](T value) { promise->set_value(std::move(value)); });
  return future.wait_for(std::chrono::seconds(60)) == std::future_status::ready ? future.get()
                                                                                : std::move(late);
}

inline CommitResult commit(Store& store, Transaction transaction) {
  return wait_for<CommitResult>([&](auto done) { store.commit(std::move(transaction), done); },
                                CommitResult{{Code::timeout, "commit"}, -1, {}, {}});
}

inline Result<Rows> query(Store& store, StatementId statement, Values values = {}) {
  return wait_for<Result<Rows>>([&](auto done) { store.query(statement, std::move(values), done); },
                                Error{Code::timeout, "query"});
}

inline Status add_consumer(Store& store, std::string name, std::vector<std::string> patterns) {
  return wait_for<Status>([&](auto done) { store.register_consumer(name, patterns, done); },
                          Error{Code::timeout, "consumer"});
}

inline std::vector<LoggedEvent> pending(Store& store, std::string consumer, int64_t after = 0) {
  return wait_for<Result<std::vector<LoggedEvent>>>(
             [&](auto done) { store.pending(consumer, after, 1000, done); }, Error{Code::timeout, "pending"})
      .value_or({});
}

inline std::vector<LoggedEvent> read_log(Store& store, int64_t after = 0, int64_t limit = 1000) {
  return wait_for<Result<std::vector<LoggedEvent>>>([&](auto done) { store.read_log(after, limit, done); },
                                                    Error{Code::timeout, "log"})
      .value_or({});
}

inline TenantLog read_tenant_log(Store& store, std::string tenant, int64_t after = 0, int64_t limit = 1000) {
  return wait_for<Result<TenantLog>>([&](auto done) { store.read_tenant_log(tenant, after, limit, done); },
                                     Error{Code::timeout, "log"})
      .value_or({});
}

inline std::vector<Job> claim(Store& store, std::string kind, int64_t limit, int64_t lease_ms) {
  return wait_for<Result<std::vector<Job>>>([&](auto done) { store.claim_jobs(kind, limit, lease_ms, done); },
                                            Error{Code::timeout, "claim"})
      .value_or({});
}

inline Transaction one(Op op) {
  Transaction transaction;
  transaction.add(std::move(op));
  return transaction;
}

inline EmitOp event(std::string topic, std::string subject, std::string tenant = "t1", std::string key = "") {
  return {std::move(topic), std::move(tenant), std::move(subject), "corr", "{\"n\":1}", std::move(key)};
}

// The schema of a plugin, for most tests.
inline constexpr const char* kNotes = R"(
-- migration: 1
CREATE TABLE notes_note (id {{ID}} PRIMARY KEY, body TEXT NOT NULL, rev BIGINT NOT NULL DEFAULT 0);
-- name: add
INSERT INTO notes_note (id, body) VALUES ($1, $2);
-- name: edit
UPDATE notes_note SET body = $3, rev = rev + 1 WHERE rev = $2 AND id = $1 RETURNING rev;
-- name: remove-all
DELETE FROM notes_note;
-- name: get
SELECT body, rev FROM notes_note WHERE id = $1;
-- name: count
-- read
SELECT COUNT(*) FROM notes_note;
-- name: now
SELECT {{NOW_MS}};
)";

// A table whose keys the database generates.
inline constexpr const char* kVisits = R"(
-- migration: 1
CREATE TABLE visits_visit (id {{ID}} PRIMARY KEY, who TEXT NOT NULL);
-- name: add
INSERT INTO visits_visit (who) VALUES ($1);
-- name: last
SELECT COUNT(*), MAX(id) FROM visits_visit;
)";

struct Notes {
  explicit Notes(StoreOptions options = {}) {
    if (!options.now_ms) options.now_ms = [this] { return now_ms.load(); };
    open(std::move(options));
  }
  // Opens the database again, as the next process would.
  void reopen(StoreOptions options = {}) {
    store.reset();
    if (!options.now_ms) options.now_ms = [this] { return now_ms.load(); };
    open(std::move(options));
  }
  void open(StoreOptions options) {
    auto opened = open_store(dir.path / "store.db", std::move(options));
    REQUIRE_MESSAGE(opened.ok(), (opened ? "" : opened.error().text));
    store = *std::move(opened);
    REQUIRE(store->register_owner("notes", kNotes).ok());
  }
  StatementId id(const char* name) { return store->statement("notes", name).value_or({}); }
  int64_t count() { return query(*store, id("count"))->integer(0, 0); }
  Transaction add(int64_t key, std::string body = "x") {
    return one(ExecOp{id("add"), {key, std::move(body)}, 1});
  }

  TempDir dir;
  std::atomic<int64_t> now_ms{1'800'000'000'000};
  std::unique_ptr<Store> store;
};

}  // namespace store_test
