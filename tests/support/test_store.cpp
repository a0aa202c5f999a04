#include "support/test_store.h"

#include <sqlite3.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>

#include "support/postgres_server.h"

namespace patchbay::test {
namespace {

// The program's server, and the schemas in it.
class Schemas {
 public:
  std::string of(const std::string& file) {
    const std::lock_guard lock(mutex_);
    return server().url() + "?options=-csearch_path%3D" + schema(file);
  }
  std::unique_ptr<PostgresClient> client(const std::string& file) {
    const std::lock_guard lock(mutex_);
    auto client = must(PostgresClient::connect(server().conninfo()));
    if (auto set = client->run("SET search_path = " + schema(file)); !set) fail(set.error());
    return client;
  }

 private:
  Postgres& server() {
    if (!server_) server_ = must(Postgres::start());
    return *server_;
  }
  const std::string& schema(const std::string& file) {
    std::string& schema = by_file_[file];
    if (schema.empty()) {
      schema = "store_" + std::to_string(by_file_.size());
      const auto client = must(PostgresClient::connect(server().conninfo()));
      if (auto made = client->run("CREATE SCHEMA " + schema); !made) fail(made.error());
    }
    return schema;
  }
  template <class T>
  static T must(Result<T> made) {
    if (!made) fail(made.error());
    return *std::move(made);
  }
  [[noreturn]] static void fail(const Error& why) {
    std::fprintf(stderr, "no PostgreSQL for the tests: %s\n", why.text.c_str());
    std::abort();
  }

  std::mutex mutex_;
  std::unique_ptr<Postgres> server_;
  std::map<std::string, std::string> by_file_;
};

Schemas& schemas() {
  static Schemas schemas;
  return schemas;
}

int take_first(void* raw, int columns, char** values, char**) {
  auto& first = *static_cast<std::optional<std::string>*>(raw);
  if (!first && columns > 0) first = values[0] != nullptr ? values[0] : "";
  return SQLITE_OK;
}

// The first value of the first row.
Result<std::string> run_on_sqlite(const std::string& file, const std::string& sql) {
  sqlite3* db = nullptr;
  const auto close = [](sqlite3* open) { sqlite3_close(open); };
  const bool opened = sqlite3_open_v2(file.c_str(), &db, SQLITE_OPEN_READWRITE, nullptr) == SQLITE_OK;
  const std::unique_ptr<sqlite3, decltype(close)> closes(db, close);
  sqlite3_busy_timeout(db, 10'000);
  std::optional<std::string> first;
  if (!opened || sqlite3_exec(db, sql.c_str(), &take_first, &first, nullptr) != SQLITE_OK)
    return Error{Code::failed, sqlite3_errmsg(db)};
  return first.value_or("");
}

}  // namespace

bool on_postgres() {
  const char* wanted = std::getenv("PATCHBAY_TEST_STORE");
  return wanted != nullptr && std::string_view(wanted) == "postgres";
}

std::string test_store(const std::filesystem::path& file) {
  return on_postgres() ? schemas().of(file.string()) : std::string();
}

Status run_sql(const std::filesystem::path& file, const std::string& sql) {
  if (on_postgres()) return schemas().client(file.string())->run(sql);
  const auto ran = run_on_sqlite(file.string(), sql);
  return ran ? Status() : Status(ran.error());
}

Result<std::string> sql_value(const std::filesystem::path& file, const std::string& sql) {
  return on_postgres() ? schemas().client(file.string())->value(sql) : run_on_sqlite(file.string(), sql);
}

}  // namespace patchbay::test
