// PostgresDatabase: where the store of a test is on PostgreSQL, and the test's own connection to it.
#pragma once

#include <patchbay/result.h>

#include <memory>
#include <string>
#include <string_view>

#include "store/postgres_link.h"
#include "store/sql_value.h"
#include "store/store_clock.h"

namespace patchbay::fake {

class PostgresDatabase {
 public:
  // `conninfo` as StoreOptions::postgres. Temporary: the tables are in a schema of their own, which the
  // destructor drops; no store may be open there any more.
  static Result<std::unique_ptr<PostgresDatabase>> open(const std::string& conninfo, bool temporary);
  ~PostgresDatabase();
  PostgresDatabase(const PostgresDatabase&) = delete;
  PostgresDatabase& operator=(const PostgresDatabase&) = delete;

  // For the store.
  const std::string& conninfo() const noexcept { return conninfo_; }
  Result<core::Rows> run(std::string_view sql, const core::Values& values);

 private:
  PostgresDatabase(const core::PostgresFunctions& pq, std::string conninfo, std::string schema);
  Status run_command(const std::string& sql);

  // owned
  const std::string conninfo_;
  const std::string schema_;  // empty: the one of the connection string
  const core::Clock no_clock_ = [] { return int64_t{0}; };
  core::PostgresLink link_;
};

}  // namespace patchbay::fake
