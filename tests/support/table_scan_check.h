// Query plans of the statements in a plugin's store.sql, to find table scans, whose cost grows with the data.
#pragma once

#include <doctest/doctest.h>
#include <sqlite3.h>

#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "store/schema_parser.h"

namespace patchbay::test {

class QueryPlans {
 public:
  explicit QueryPlans(const char* store_sql) {
    std::ifstream file(store_sql);
    std::stringstream text;
    text << file.rdbuf();
    auto parsed = core::parse_schema(text.str());
    REQUIRE(parsed.ok());
    schema_ = *std::move(parsed);
    sqlite3* db = nullptr;
    REQUIRE(sqlite3_open(":memory:", &db) == SQLITE_OK);
    db_.reset(db);
    // The core's view that every owner may read.
    REQUIRE(sqlite3_exec(db,
                         "CREATE TABLE core_node (node TEXT, epoch BIGINT, PRIMARY KEY (node, epoch)); "
                         "CREATE VIEW core_live_node AS SELECT node, epoch FROM core_node",
                         nullptr, nullptr, nullptr) == SQLITE_OK);
    for (const auto& migration : schema_.migrations) {
      std::string sql = migration.sql;
      for (size_t at; (at = sql.find("{{BYTES}}")) != std::string::npos;) sql.replace(at, 9, "BLOB");
      char* why = nullptr;
      sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &why);
      INFO(std::string(why != nullptr ? why : ""));
      REQUIRE(why == nullptr);
    }
  }

  std::string of(const std::string& name) {
    for (const auto& statement : schema_.statements)
      if (statement.name == name) return explain(statement.sql);
    return "no such statement";
  }
  // The names of a table's columns, in order.
  std::vector<std::string> columns(const std::string& table) {
    sqlite3_stmt* raw = nullptr;
    REQUIRE(sqlite3_prepare_v2(db_.get(), ("SELECT * FROM " + table).c_str(), -1, &raw, nullptr) ==
            SQLITE_OK);
    const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement(raw, &sqlite3_finalize);
    std::vector<std::string> names;
    for (int i = 0; i < sqlite3_column_count(raw); ++i) names.emplace_back(sqlite3_column_name(raw, i));
    return names;
  }

 private:
  std::string explain(const std::string& sql) {
    sqlite3_stmt* raw = nullptr;
    REQUIRE(sqlite3_prepare_v2(db_.get(), ("EXPLAIN QUERY PLAN " + sql).c_str(), -1, &raw, nullptr) ==
            SQLITE_OK);
    const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement(raw, &sqlite3_finalize);
    std::string plan;
    while (sqlite3_step(raw) == SQLITE_ROW)
      plan += std::string(reinterpret_cast<const char*>(sqlite3_column_text(raw, 3))) + "\n";
    return plan;
  }

  struct CloseDatabase {
    void operator()(sqlite3* db) const { sqlite3_close(db); }
  };

  core::SchemaText schema_;
  std::unique_ptr<sqlite3, CloseDatabase> db_;
};

}  // namespace patchbay::test
