// Every schema text must be valid in SQLite and in a real PostgreSQL.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "core/store/fixture.h"
#include "support/postgres_server.h"

using namespace patchbay;
using namespace patchbay::core;
using namespace patchbay::test;

namespace {

// Runs the migrations and prepares every statement.
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

struct PluginSchema {
  std::string owner, text;
};

// The store.sql of plugins and examples, as CMakeLists.txt lists them.
std::vector<PluginSchema> plugin_schemas() {
  std::vector<PluginSchema> schemas;
  std::istringstream files(PATCHBAY_SCHEMA_FILES);
  for (std::string file; std::getline(files, file, '|');) {
    std::ifstream in(file);
    schemas.push_back(
        {std::filesystem::path(file).parent_path().filename(), {std::istreambuf_iterator<char>(in), {}}});
  }
  return schemas;
}

std::string error_of(const Status& status) { return status ? "" : status.error().text; }

}  // namespace

TEST_CASE("PostgreSQL accepts the schema texts of the core, the plugins and the examples") {
  auto postgres = Postgres::start();
  REQUIRE_MESSAGE(postgres.ok(), (postgres ? "" : postgres.error().text));
  auto client = PostgresClient::connect((*postgres)->conninfo());
  REQUIRE(client.ok());
  CHECK(error_of(check_schema(**client, core_schema())) == "");
  for (const PluginSchema& schema : plugin_schemas()) {
    INFO(schema.owner);
    CHECK_FALSE(schema.text.empty());
    CHECK(error_of(check_schema(**client, schema.text)) == "");
  }
}

TEST_CASE("a statement that only SQLite accepts is an error with its line") {
  auto postgres = Postgres::start();
  REQUIRE_MESSAGE(postgres.ok(), (postgres ? "" : postgres.error().text));
  auto client = PostgresClient::connect((*postgres)->conninfo());
  REQUIRE(client.ok());
  CHECK(error_of(check_schema(**client, store_test::kNotes)) == "");
  CHECK(error_of(check_schema(**client, "-- name: x\nSELECT body FROM notes_note GROUP BY rev"))
            .find("x (line 1)") == 0);
}

TEST_CASE("the store accepts the schema texts of the plugins and the examples") {
  const TempDir dir;
  const auto store = open_store(dir.path / "store.db", {});
  REQUIRE_MESSAGE(store.ok(), (store ? "" : store.error().text));
  for (const PluginSchema& schema : plugin_schemas())
    CHECK(error_of((*store)->register_owner(schema.owner, schema.text)) == "");
}
