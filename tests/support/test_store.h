// The database of the stores that this test program opens: SQLite, or PostgreSQL if the environment has
// PATCHBAY_TEST_STORE=postgres. The test suite runs the programs that open a store with both.
#pragma once

#include <patchbay/result.h>

#include <filesystem>
#include <string>

namespace patchbay::test {

bool on_postgres();

// The URL of the database that belongs to the SQLite file `file`; "" on SQLite. The first call
// starts the program's server; each file gets another schema there, empty at first.
std::string test_store(const std::filesystem::path& file);

// Runs statements on that database, as another process would.
Status run_sql(const std::filesystem::path& file, const std::string& sql);
// The first value of the first row that a SELECT finds there; "" for none.
Result<std::string> sql_value(const std::filesystem::path& file, const std::string& sql);

}  // namespace patchbay::test
