#include "database.h"

#include <doctest/doctest.h>
#include <sqlite3.h>

#include <memory>

#include "support/postgres_server.h"

namespace kills {

std::vector<Database::Row> Database::rows(const std::string& sql) const {
  return postgres_.empty() ? sqlite_rows(sql) : postgres_rows(sql);
}

std::vector<Database::Row> Database::postgres_rows(const std::string& sql) const {
  CAPTURE(sql);
  auto client = patchbay::test::PostgresClient::connect(postgres_);
  REQUIRE_MESSAGE(client.ok(), (client ? "" : client.error().text));
  auto all = (*client)->rows(sql);
  REQUIRE_MESSAGE(all.ok(), (all ? "" : all.error().text));
  return *std::move(all);
}

std::vector<Database::Row> Database::sqlite_rows(const std::string& sql) const {
  sqlite3* raw = nullptr;
  REQUIRE(sqlite3_open_v2(path_.c_str(), &raw, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK);
  const std::unique_ptr<sqlite3, int (*)(sqlite3*)> db(raw, sqlite3_close);
  sqlite3_busy_timeout(raw, 30000);
  sqlite3_stmt* statement = nullptr;
  CAPTURE(sql);
  REQUIRE_MESSAGE(sqlite3_prepare_v2(raw, sql.c_str(), -1, &statement, nullptr) == SQLITE_OK,
                  sqlite3_errmsg(raw));
  std::vector<Row> all;
  int result = 0;
  while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
    Row row;
    for (int i = 0; i < sqlite3_column_count(statement); ++i) {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, i));
      row.emplace_back(text == nullptr ? "" : text);
    }
    all.push_back(std::move(row));
  }
  sqlite3_finalize(statement);
  CHECK(result == SQLITE_DONE);
  return all;
}

std::string Database::value(const std::string& sql) const {
  const auto all = rows(sql);
  return all.empty() ? "" : all[0].at(0);
}

std::string Database::list(const std::string& sql) const {
  std::string text;
  for (const auto& row : rows(sql)) text += (text.empty() ? "" : " ") + row.at(0);
  return text;
}

std::string Database::integrity() const {
  if (postgres_.empty()) return list("PRAGMA integrity_check");
  auto client = patchbay::test::PostgresClient::connect(postgres_);
  if (!client) return client.error().text;
  if (auto made = (*client)->run("CREATE EXTENSION IF NOT EXISTS amcheck"); !made) return made.error().text;
  const auto checked = (*client)->rows(
      "SELECT bt_index_check(i.indexrelid, true) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
      "JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'public' AND c.relam = "
      "(SELECT oid FROM pg_am WHERE amname = 'btree')");
  return checked && !checked->empty() ? "ok" : checked ? "no index" : checked.error().text;
}

}  // namespace kills
