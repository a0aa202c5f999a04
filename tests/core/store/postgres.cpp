// Every schema text must mean the same to a real PostgreSQL.
#include "support/postgres.h"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "core/store/fixture.h"

using namespace patchbay;
using namespace patchbay::core;
using namespace patchbay::test;

namespace {

// Runs the migrations and types every statement.
Status check_schema(PostgresClient& client, std::string_view text) {
  PB_TRY_VALUE(SchemaText schema, parse_schema(text));
  for (const auto& migration : schema.migrations) {
    PB_TRY_VALUE(std::string sql, expand_macros(migration.sql, Dialect::postgres));
    auto ran = client.run(sql);  // several statements in one message are one transaction
    if (!ran) return std::move(ran).error().within("migration " + std::to_string(migration.number));
  }
  for (const auto& statement : schema.statements) {
    PB_TRY_VALUE(std::string sql, expand_macros(statement.sql, Dialect::postgres));
    auto checked = client.check(sql);
    if (!checked)
      return std::move(checked).error().within(statement.name + " (line " + std::to_string(statement.line) +
                                               ")");
  }
  return {};
}

std::string read_file(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string error_of(const Status& status) { return status ? "" : status.error().text; }

}  // namespace

TEST_CASE("PostgreSQL takes every schema text") {
  auto postgres = Postgres::start();
  REQUIRE_MESSAGE(postgres.ok(), (postgres ? "" : postgres.error().text));
  auto client = PostgresClient::connect((*postgres)->conninfo());
  REQUIRE(client.ok());
  CHECK(error_of(check_schema(**client, core_schema())) == "");
  CHECK(error_of(check_schema(**client, store_test::kNotes)) == "");

  std::istringstream files(PATCHBAY_SCHEMA_FILES);  // the plugins'; see CMakeLists.txt
  for (std::string file; std::getline(files, file, '|');) {
    INFO(file);
    std::string text = read_file(file);
    CHECK_FALSE(text.empty());
    CHECK(error_of(check_schema(**client, text)) == "");
  }

  // What SQLite lets pass is found here.
  CHECK(error_of(check_schema(**client, "-- name: x\nSELECT body FROM notes_note GROUP BY rev"))
            .find("x (line 1)") == 0);
}
