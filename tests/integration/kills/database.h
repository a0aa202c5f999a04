// Database: reads a server's store over a second connection.
#pragma once

#include <string>
#include <vector>

namespace kills {

class Database {
 public:
  explicit Database(std::string path) : path_(std::move(path)) {}

  using Row = std::vector<std::string>;  // NULL is ""
  // Fails the test when the statement fails.
  std::vector<Row> rows(const std::string& sql) const;
  std::string value(const std::string& sql) const;  // the first cell; "" without one
  int count(const std::string& sql) const { return std::atoi(value(sql).c_str()); }

 private:
  std::string path_;
};

}  // namespace kills
