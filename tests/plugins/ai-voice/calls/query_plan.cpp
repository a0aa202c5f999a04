// What a request costs must not grow with the calls that have ended: no statement of a request scans them.
#include <doctest/doctest.h>
#include <sqlite3.h>

#include <fstream>
#include <memory>
#include <sstream>

#include "store/schema_text.h"

using namespace patchbay;

namespace {

struct CloseDatabase {
  void operator()(sqlite3* db) const { sqlite3_close(db); }
};

class Plans {
 public:
  Plans() {
    std::ifstream file(AI_VOICE_SCHEMA);
    std::stringstream text;
    text << file.rdbuf();
    auto parsed = core::parse_schema(text.str());
    REQUIRE(parsed.ok());
    schema_ = *std::move(parsed);
    sqlite3* db = nullptr;
    REQUIRE(sqlite3_open(":memory:", &db) == SQLITE_OK);
    db_.reset(db);
    for (const auto& migration : schema_.migrations) {
      std::string sql = migration.sql;
      for (size_t at; (at = sql.find("{{BYTES}}")) != std::string::npos;) sql.replace(at, 9, "BLOB");
      char* why = nullptr;
      sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &why);
      INFO(std::string(why != nullptr ? why : ""));
      REQUIRE(why == nullptr);
    }
  }

  std::string of(const std::string& name) {
    for (const auto& statement : schema_.statements)
      if (statement.name == name) return explain(statement.sql);
    return "no such statement";
  }

 private:
  std::string explain(const std::string& sql) {
    sqlite3_stmt* raw = nullptr;
    REQUIRE(sqlite3_prepare_v2(db_.get(), ("EXPLAIN QUERY PLAN " + sql).c_str(), -1, &raw, nullptr) ==
            SQLITE_OK);
    const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement(raw, &sqlite3_finalize);
    std::string plan;
    while (sqlite3_step(raw) == SQLITE_ROW)
      plan += std::string(reinterpret_cast<const char*>(sqlite3_column_text(raw, 3))) + "\n";
    return plan;
  }

  core::SchemaText schema_;
  std::unique_ptr<sqlite3, CloseDatabase> db_;
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("no statement of a request scans the calls, and each list comes from an index in its order") {
  Plans plans;
  for (const char* name : {"get", "list", "list_status", "list_count", "waiting_count", "orphans", "claim",
                           "answered", "finish", "cancel_waiting", "count_before", "count_after", "recall",
                           "remember_answer", "forget", "forget_old", "remove_old"}) {
    CAPTURE(name);
    const std::string plan = plans.of(name);
    INFO(plan);
    CHECK_FALSE(plan.empty());
    CHECK_FALSE(contains(plan, "SCAN ai_voice_"));
  }
  CHECK_FALSE(contains(plans.of("list"), "TEMP B-TREE"));
}

TEST_CASE("the waiting calls are counted in an index of the tenant and the status alone") {
  Plans plans;
  const std::string plan = plans.of("waiting_count");
  INFO(plan);
  CHECK(contains(plan, "COVERING INDEX ai_voice_call_status (tenant=? AND status=?"));
  const std::string list = plans.of("list_status");
  INFO(list);
  CHECK(contains(list, "ai_voice_call_status (tenant=? AND status=?)"));
  CHECK(contains(plans.of("orphans"), "ai_voice_call_running"));
  CHECK(contains(plans.of("remove_old"), "ai_voice_call_ended"));
}
