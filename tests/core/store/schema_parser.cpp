#include "store/schema_parser.h"

#include <doctest/doctest.h>

using namespace patchbay;
using namespace patchbay::core;

TEST_CASE("a schema text has migrations and named statements") {
  auto schema = parse_schema(
      "-- what this is\n\n-- migration: 1\nCREATE TABLE a_t (x {{BYTES}}); -- note\nCREATE INDEX a_i ON a_t "
      "(x);\n"
      "-- migration: 2\nALTER TABLE a_t ADD COLUMN y TEXT;\n"
      "-- name: put\n-- write\nINSERT INTO a_t (x, y) VALUES ($2, 'it''s; $9 -- no');\n -- $1 in words\n"
      "-- name: get-all\nSELECT x FROM a_t\n");
  REQUIRE_FALSE(schema.ok());  // $2 without $1: the one in the comment does not count
  CHECK(schema.error().text == "line 8: 'put' uses $2 but not $1");

  schema = parse_schema(
      "-- migration: 1\nCREATE TABLE a_t (x {{BYTES}});\n"
      "-- name: put\n-- write\n-- notify\nINSERT INTO a_t (x, y) VALUES ($2, 'it''s; $9 -- no' || $1);\n-- "
      "end\n"
      "-- name: get-all\nSELECT x\n  FROM a_t");
  REQUIRE(schema.ok());
  CHECK(schema->migrations.size() == 1);
  REQUIRE(schema->statements.size() == 2);
  CHECK(schema->statements[0].parameters == 2);
  CHECK(schema->statements[0].access == SchemaText::Access::write);
  CHECK(schema->statements[0].sql == "INSERT INTO a_t (x, y) VALUES ($2, 'it''s; $9 -- no' || $1)");
  CHECK(schema->statements[0].notifies);
  CHECK_FALSE(schema->statements[1].notifies);
  CHECK(schema->statements[1].name == "get-all");
  CHECK(schema->statements[1].sql == "SELECT x FROM a_t");
  CHECK(schema->statements[1].line == 8);
}

TEST_CASE("an error in a schema text names its line") {
  auto error = [](const char* text) { return parse_schema(text).error().text; };
  CHECK(error("\nSELECT 1;") == "line 2: SQL before the first '-- migration:' or '-- name:'");
  CHECK(error("-- migration: 2\nCREATE TABLE x (y TEXT);") == "line 1: expected '-- migration: 1'");
  CHECK(error("-- migration: 1\n-- name: x\nSELECT 1") == "line 1: the section is empty");
  CHECK(error("-- name: x\nSELECT 1; SELECT 2") == "line 1: 'x' holds more than one statement");
  CHECK(error("-- name: x\nSELECT ?") == "line 1: 'x' parameters are written $1, $2, ...");
  CHECK(error("-- name: x\nSELECT $a") == "line 1: 'x' parameters are written $1, $2, ...");
  CHECK(error("-- name: X\nSELECT 1") == "line 1: a statement's name consists of a-z, 0-9, '-', '_' and '.'");
  CHECK(error("-- name: x\nSELECT 1\n-- name: x\nSELECT 1") == "line 3: statement 'x' exists already");
  for (const char* sql :
       {"DROP TABLE a", "CREATE TABLE a (x TEXT)", "PRAGMA synchronous=OFF", "ATTACH 'x.db' AS x", "BEGIN",
        "VACUUM", "REPLACE INTO a VALUES (1)", "EXPLAIN SELECT 1", "123"}) {
    CHECK(error((std::string("-- name: x\n") + sql).c_str()) ==
          "line 1: 'x' is not a SELECT, INSERT, UPDATE, DELETE or WITH");
  }
  CHECK(error("-- name: x\nSELECT {{TIME}}") == "line 1: uses the unknown macro {{TIME}}");
}

TEST_CASE("a migration's hash ignores comments and layout only") {
  auto hash = [](const char* sql) {
    return parse_schema(std::string("-- migration: 1\n") + sql)->migrations[0].hash;
  };
  CHECK(hash("CREATE TABLE a_t (x TEXT);") == hash("CREATE TABLE\n  a_t (x TEXT) -- why\n;\n"));
  CHECK(hash("CREATE TABLE a_t (x TEXT);") != hash("CREATE TABLE a_t (x TEXT NOT NULL);"));
  CHECK(hash("INSERT INTO a_t VALUES ('a  b');") != hash("INSERT INTO a_t VALUES ('a b');"));
}

TEST_CASE("macros expand for each dialect") {
  CHECK(*expand_macros("x {{BYTES}}, y {{ID}}", Dialect::sqlite) == "x BLOB, y INTEGER");
  CHECK(*expand_macros("x {{BYTES}}, y {{ID}}", Dialect::postgres) == "x BYTEA, y BIGINT");
}
