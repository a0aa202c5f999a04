// A PostgreSQL 15 server for a test: data in a temporary folder, no TCP; stopped and removed by the
// destructor.
#pragma once

#include <patchbay/result.h>
#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

struct pg_conn;

namespace patchbay::test {

class Postgres {
 public:
  // Takes about two seconds. Under root it runs as the user postgres, because PostgreSQL refuses root.
  static Result<std::unique_ptr<Postgres>> start();
  ~Postgres();

  // The connection string for PQconnectdb.
  std::string conninfo() const;
  // The same as a URL.
  std::string url() const;

  // Ends all its processes at once, as a crash would.
  void crash();
  // SIGKILL to all its processes.
  void kill_all();
  // Starts it again after crash() or kill_all().
  Status resume() { return launch(); }
  // SIGSTOP and SIGCONT to all its processes: connections stay open, and nothing answers.
  void freeze();
  void thaw();

 private:
  Postgres() = default;
  Status init();
  Status launch();
  // Of the server's processes; the main one first.
  std::vector<pid_t> processes() const;

  std::filesystem::path folder_;
  pid_t server_ = -1;
};

// One connection.
class PostgresClient {
 public:
  static Result<std::unique_ptr<PostgresClient>> connect(const std::string& conninfo);
  ~PostgresClient();

  // SQL without parameters; several statements are fine.
  Status run(const std::string& sql);
  // Prepares a statement with parameters $1..$n, without running it.
  Status check(const std::string& sql);
  // All rows; NULL is "".
  Result<std::vector<std::vector<std::string>>> rows(const std::string& sql);
  // The first value of the first row; "" for none.
  Result<std::string> value(const std::string& sql);

 private:
  PostgresClient() = default;
  pg_conn* connection_ = nullptr;  // owned
};

}  // namespace patchbay::test
