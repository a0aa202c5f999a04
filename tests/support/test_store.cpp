#include "support/test_store.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>

#include "support/postgres_server.h"

namespace patchbay::test {
namespace {

// The program's server, and the schemas in it.
class Schemas {
 public:
  std::string of(const std::string& file) {
    const std::lock_guard lock(mutex_);
    if (!server_) server_ = must(Postgres::start());
    std::string& schema = by_file_[file];
    if (schema.empty()) {
      schema = "store_" + std::to_string(by_file_.size());
      const auto client = must(PostgresClient::connect(server_->conninfo()));
      if (auto made = client->run("CREATE SCHEMA " + schema); !made) fail(made.error());
    }
    return server_->url() + "?options=-csearch_path%3D" + schema;
  }

 private:
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

}  // namespace

bool on_postgres() {
  const char* wanted = std::getenv("PATCHBAY_TEST_STORE");
  return wanted != nullptr && std::string_view(wanted) == "postgres";
}

std::string test_store(const std::filesystem::path& file) {
  if (!on_postgres()) return {};
  static Schemas schemas;
  return schemas.of(file.string());
}

}  // namespace patchbay::test
