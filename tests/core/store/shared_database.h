// A PostgreSQL server, and stores on its one database, as of several processes.
#pragma once

#include "core/store/fixture.h"
#include "support/postgres_server.h"

namespace store_test {

struct SharedDatabase {
  SharedDatabase() {
    auto started = test::Postgres::start();
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
    auto client = test::PostgresClient::connect(server->conninfo());
    REQUIRE(client.ok());
    auto found = (*client)->value(sql);
    REQUIRE_MESSAGE(found.ok(), (found ? "" : found.error().text));
    return *found;
  }

  TempDir dir;
  std::unique_ptr<test::Postgres> server;
};

inline Transaction add_note(Store& store, int64_t key, const std::string& tenant = "t1") {
  Transaction tx = one(ExecOp{*store.statement("notes", "add"), {key, "x"}, 1});
  tx.add(event("note.added", std::to_string(key), tenant));
  return tx;
}

}  // namespace store_test
