#include "database.h"

#include <doctest/doctest.h>
#include <sqlite3.h>

#include <memory>

namespace kills {

std::vector<Database::Row> Database::rows(const std::string& sql) const {
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

}  // namespace kills
