#include "store/deterministic_functions.h"

#include "core/store/fixture.h"
#include "store/database.h"

using namespace store_test;

TEST_CASE("functions of the clock, of chance and of the connection are not deterministic, nor unknown ones") {
  for (const char* name :
       {"random", "randomblob", "current_time", "current_date", "current_timestamp", "date", "time",
        "datetime", "julianday", "unixepoch", "strftime", "patchbay_now_ms", "changes", "total_changes",
        "last_insert_rowid", "sqlite_version", "unknown", ""})
    CHECK_MESSAGE(!is_deterministic(name), name);
}

TEST_CASE("every function of a value that counts as deterministic is deterministic for SQLite, too") {
  const TempDir dir;
  auto db = Database::open(dir.path / "functions.db", Database::Mode::write,
                           std::make_shared<const Clock>([] { return int64_t{1}; }));
  REQUIRE(db.ok());
  auto list = PreparedStatement::prepare(
      *db, "SELECT DISTINCT name FROM pragma_function_list WHERE type = 's' AND (flags & 2048) = 0", 0);
  REQUIRE(list.ok());
  Rows rows;
  REQUIRE(list->run(*db, {}, &rows, 1 << 20).ok());
  CHECK(rows.row_count() > 3);
  for (size_t row = 0; row < rows.row_count(); ++row)
    CHECK_MESSAGE(!is_deterministic(rows.text(row, 0)), std::string(rows.text(row, 0)));
}
