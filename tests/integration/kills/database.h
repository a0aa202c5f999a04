// Database: reads a server's store over a second connection.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace kills {

class Database {
 public:
  // An SQLite file, or with `postgres` (the string for PQconnectdb) that database.
  explicit Database(std::string path, std::string postgres = {})
      : path_(std::move(path)), postgres_(std::move(postgres)) {}

  using Row = std::vector<std::string>;  // NULL is ""
  // Fails the test when the statement fails.
  std::vector<Row> rows(const std::string& sql) const;
  std::string value(const std::string& sql) const;  // the first cell; "" without one
  int count(const std::string& sql) const { return std::atoi(value(sql).c_str()); }
  std::string list(const std::string& sql) const;  // the first cells, with blanks between them
  // "ok", or what is wrong: of the file and its indexes, or of PostgreSQL's indexes and the rows they lead
  // to.
  std::string integrity() const;

 private:
  std::vector<Row> sqlite_rows(const std::string& sql) const;
  std::vector<Row> postgres_rows(const std::string& sql) const;

  std::string path_, postgres_;
};

}  // namespace kills
