// No named statement may scan a table that grows: a scan is quick in a test, but takes minutes on a year's
// rows, and blocks all other writes meanwhile.
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "core/store/fixture.h"
#include "store/database.h"
#include "store/schema_parser.h"

using namespace store_test;

namespace {

// Statements that may scan a whole table or index, with the reason. Scans per row of another table are never
// allowed.
const std::map<std::string, std::string> kMayScan = {
    {"core/consumers", "one row per durable consumer"},
    {"core/consumer-states", "one row per durable consumer"},
    {"core/nodes-live", "a row per process that runs"},
    {"ai-voice/open_count", "a row per tenant and status"},
    {"ai-voice/count_old", "a row per tenant and status"},
    {"ai-voice/inbound_orphans", "a row per call that runs"},
    {"identity/revisions", "a row per kind of row"},
    {"identity/signing_key_expire", "a few keys"},
    {"identity/signing_key_lifetime", "a few keys"},
    {"identity/signing_key_promote", "a few keys"},
    {"identity/signing_key_retire", "a few keys"},
    {"identity/signing_keys", "a few keys"},
    {"sip-trunk/orphan_count", "a row per answered call"},
    {"sip-trunk/take_orphans", "a row per answered call"},
    {"sip-trunk/trunk_use_remove", "a row per server and trunk"},
    {"sip-trunk/trunk_use_of_others", "a row per server and trunk"},
    {"sip-trunk/route_revs", "two rows per tenant"},
    {"transcripts/mail_tenants", "the index of mails that wait only"},
    {"webhooks/subscriptions", "tens of rows"},
    {"webhooks/lanes-read", "tens of rows"},
    {"webhooks/revisions", "a row per kind of row"},
    {"webhooks/secrets", "a few per subscription"},
    {"webhooks/lanes", "the index of pending deliveries only"},
    {"webhooks/backlog", "the index of pending deliveries only"},
    {"webhooks/sweep-paused", "the index of pending deliveries only"},
    {"webhooks/sweep-secrets", "a few per subscription"},
};

struct Step {
  int64_t id, parent;
  std::string text;
};

std::vector<Step> plan_of(const Database& db, const std::string& sql, int parameters) {
  auto explained = PreparedStatement::prepare(db, "EXPLAIN QUERY PLAN " + sql, parameters);
  REQUIRE_MESSAGE(explained.ok(), (explained ? "" : explained.error().text));
  Rows rows;
  REQUIRE(explained->run(db, Values(static_cast<size_t>(parameters)), &rows, 1 << 20).ok());
  std::vector<Step> steps;
  for (size_t row = 0; row < rows.row_count(); ++row)
    steps.push_back({rows.integer(row, 0), rows.integer(row, 1), std::string(rows.text(row, 3))});
  return steps;
}

bool begins_with(const std::string& text, const std::string& with) { return text.rfind(with, 0) == 0; }

bool is_below_correlated(const std::vector<Step>& steps, int64_t id) {
  for (const Step& step : steps) {
    if (step.id != id) continue;
    return begins_with(step.text, "CORRELATED") || is_below_correlated(steps, step.parent);
  }
  return false;
}

struct Scans {
  std::vector<std::string> all, correlated;
};

// Finds "SCAN x", where x is a table and not the result of a subquery.
Scans scans_in(const std::vector<Step>& steps) {
  std::set<std::string> subqueries = {"CONSTANT"};
  for (const Step& step : steps)
    for (const char* step_kind : {"CO-ROUTINE ", "MATERIALIZE "})
      if (begins_with(step.text, step_kind))
        subqueries.insert(step.text.substr(std::string(step_kind).size()));
  Scans scans;
  for (const Step& step : steps) {
    if (!begins_with(step.text, "SCAN ")) continue;
    if (subqueries.count(step.text.substr(5, step.text.find(' ', 5) - 5)) != 0) continue;
    scans.all.push_back(step.text);
    if (is_below_correlated(steps, step.parent)) scans.correlated.push_back(step.text);
  }
  return scans;
}

std::string joined(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& each : list) text += (text.empty() ? "" : ", ") + each;
  return text;
}

void migrate(Database& db, const SchemaText& schema) {
  for (const auto& migration : schema.migrations) {
    const Status ran = db.run(expand_macros(migration.sql, Dialect::sqlite)->c_str());
    REQUIRE_MESSAGE(ran.ok(), (ran ? "" : ran.error().text));
  }
}

// Creates a database with that schema, and with the core's, whose view of live nodes every owner may read.
Database create_database(const TempDir& dir, const std::string& owner, const SchemaText& schema) {
  auto clock = std::make_shared<const Clock>([] { return int64_t{0}; });
  auto db = Database::open(dir.path / "plans.db", Database::Mode::write, std::move(clock));
  REQUIRE(db.ok());
  if (owner != "core") migrate(*db, *parse_schema(std::string(core_schema())));
  migrate(*db, schema);
  return std::move(*db);
}

void check_plans(const std::string& owner, const std::string& text) {
  auto schema = parse_schema(text);
  REQUIRE(schema.ok());
  TempDir dir;
  const Database db = create_database(dir, owner, *schema);
  for (const auto& statement : schema->statements) {
    const std::string name = owner + "/" + statement.name;
    const Scans scans =
        scans_in(plan_of(db, *expand_macros(statement.sql, Dialect::sqlite), statement.parameters));
    CHECK_MESSAGE(scans.correlated.empty(), name,
                  " scans for each row of another table: ", joined(scans.correlated));
    CHECK_MESSAGE((scans.all.empty() || kMayScan.count(name) != 0), name, " scans: ", joined(scans.all),
                  "; add an index, or say in kMayScan why it may");
  }
}

}  // namespace

TEST_CASE("the core's statements scan no table that grows") {
  check_plans("core", std::string(core_schema()));
}

TEST_CASE("the plugins' statements scan no table that grows") {
  std::istringstream files(PATCHBAY_SCHEMA_FILES);
  for (std::string file; std::getline(files, file, '|');) {
    std::ifstream in(file);
    check_plans(std::filesystem::path(file).parent_path().filename(),
                {std::istreambuf_iterator<char>(in), {}});
  }
}

TEST_CASE("scans are found in a query plan, also those per row of another table") {
  TempDir dir;
  auto schema = *parse_schema("-- migration: 1\nCREATE TABLE x_t (id BIGINT PRIMARY KEY, other BIGINT);\n");
  const Database db = create_database(dir, "x", schema);
  const auto scans = [&](const char* sql) { return scans_in(plan_of(db, sql, 0)); };
  CHECK(scans("SELECT other FROM x_t WHERE id = 1").all.empty());
  CHECK(scans("SELECT 1").all.empty());
  CHECK(scans("SELECT COUNT(*) FROM (SELECT other FROM x_t WHERE id = 1 LIMIT 5) AS few").all.empty());
  CHECK(scans("SELECT id FROM x_t WHERE other = 1").all.size() == 1);
  CHECK(scans("SELECT id FROM x_t WHERE other = 1").correlated.empty());
  CHECK(scans("SELECT id FROM x_t a WHERE id = 1 AND EXISTS (SELECT 1 FROM x_t b WHERE b.other = a.id)")
            .correlated.size() == 1);
}
