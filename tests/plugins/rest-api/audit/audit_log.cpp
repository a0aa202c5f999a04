// patchbay.audit as rest-api provides it, with a store and clocks of the test.
#include <doctest/doctest.h>
#include <patchbay/services/audit.h>
#include <patchbay/testing/fake_host.h>

#include <memory>
#include <string>

#include "support/fake_host_options.h"

using namespace patchbay;
using testing::why;

namespace {

audit::Record door(const std::string& action, const std::string& before, const std::string& after) {
  return {{}, "localhost", "eva", "192.0.2.1", action, "door-1", before, after, "c-1"};
}

struct AuditHost : testing::FakeHost {
  explicit AuditHost(const std::string& keep_days = "365")
      : FakeHost(REST_API_PLUGIN, test::on_test_store()) {
    REQUIRE(why(start(R"({"listen": "127.0.0.1:0", "auditKeepDays": )" + keep_days + "}")) == "");
    trail = &make<audit::Trail>(host());
  }
  // Commits the event `topic` with the record; the error, or "".
  std::string commit(const audit::Record& record, const std::string& topic = "door.changed") const {
    const testing::Answer<bool> answer;
    run([&] {
      Transaction tx(host());
      tx.emit({topic, "localhost", "door-1", {}, "{}"});
      trail->commit(std::move(tx), record, [answer](const Commit& done) {
        answer.give(done ? Result<bool>(true) : Result<bool>(done.error()));
      });
    });
    return why(answer.get());
  }
  testing::OwnedRows rows(const std::string& columns) const {
    auto read = sql("SELECT " + columns + " FROM rest_api_audit ORDER BY id");
    REQUIRE(why(read) == "");
    return *read;
  }

  audit::Trail* trail = nullptr;
};

}  // namespace

TEST_CASE("a record is stored with its change, and not without it") {
  const AuditHost host;
  CHECK(host.commit(door("door.created", "", R"({"name":"front"})")) == "");
  CHECK(host.commit(door("door.renamed", "{}", "{}"), "no topic!") != "");
  const auto rows =
      host.rows("tenant, actor, remote, action, object, before_json, after_json, correlation, time_ms");
  REQUIRE(rows.size() == 1);
  CHECK(rows.text(0, 0) == "localhost");
  CHECK(rows.text(0, 1) == "eva");
  CHECK(rows.text(0, 2) == "192.0.2.1");
  CHECK(rows.text(0, 3) == "door.created");
  CHECK(rows.text(0, 4) == "door-1");
  CHECK(rows.is_null(0, 5));
  CHECK(rows.text(0, 6) == R"({"name":"front"})");
  CHECK(rows.text(0, 7) == "c-1");
  CHECK(rows.integer(0, 8) == host.wall_ms());
}

TEST_CASE("a change whose record is invalid is not made") {
  const AuditHost host;
  CHECK(host.commit(door("", "", "{}")) == "an audit record has no action");
  CHECK(host.commit(door("door.renamed", "{name: 1}", "{}")).find("before: ") == 0);
  CHECK(host.commit(door("door.renamed", "{}", "{\"name\":")).find("after: ") == 0);
  CHECK(host.rows("id").empty());
  CHECK(host.events("door.changed").empty());
}

TEST_CASE("the ids of records have the order of time, also within a millisecond") {
  const AuditHost host;
  for (const char* action : {"a", "b", "c"}) CHECK(host.commit(door(action, "", "")) == "");
  REQUIRE(why(host.advance_ms(5)) == "");
  CHECK(host.commit(door("d", "", "")) == "");
  const auto rows = host.rows("action");
  REQUIRE(rows.size() == 4);
  for (size_t i = 0; i < 4; ++i) CHECK(rows.text(i, 0) == std::string(1, static_cast<char>('a' + i)));
}

TEST_CASE("a large value is stored as its size, and long texts are cut") {
  const AuditHost host;
  const std::string large = R"({"names":")" + std::string(10'000, 'x') + "\"}";
  audit::Record record = door("door.renamed", large, "{}");
  record.object = std::string(1000, 'o');
  CHECK(host.commit(record) == "");
  const auto rows = host.rows("before_json, object");
  REQUIRE(rows.size() == 1);
  CHECK(rows.text(0, 0) == R"({"omitted":true,"bytes":)" + std::to_string(large.size()) + "}");
  CHECK(rows.text(0, 1) == std::string(512, 'o'));
}

TEST_CASE("strings of members that are named like secrets are not stored") {
  const AuditHost host;
  CHECK(
      host.commit(door(
          "door.renamed", R"({"Secret":"canary","list":[{"clientSecret":"canary"}]})",
          R"({"sipPassword":"canary","token":"canary","key":"canary","secretSet":true,"n":[1,2.5,null]})")) ==
      "");
  const auto rows = host.rows("before_json, after_json");
  REQUIRE(rows.size() == 1);
  CHECK(rows.text(0, 0) == R"json({"Secret":"(secret)","list":[{"clientSecret":"(secret)"}]})json");
  CHECK(rows.text(0, 1) == R"json({"sipPassword":"(secret)","token":"(secret)","key":"(secret)",)json"
                           R"json("secretSet":true,"n":[1,2.5,null]})json");
}

TEST_CASE("records older than auditKeepDays are removed within an hour") {
  const AuditHost host("1");
  CHECK(host.commit(door("door.old", "", "")) == "");
  REQUIRE(why(host.advance_ms(12 * 3'600'000)) == "");
  CHECK(host.commit(door("door.new", "", "")) == "");
  REQUIRE(why(host.advance_ms(13 * 3'600'000)) == "");
  const auto rows = host.rows("action");
  REQUIRE(rows.size() == 1);
  CHECK(rows.text(0, 0) == "door.new");
}

TEST_CASE("more old records than one transaction removes are removed at once") {
  const AuditHost host("1");
  REQUIRE(
      why(host.sql("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500) "
                   "INSERT INTO rest_api_audit SELECT SUBSTR('000000000000000000000000' || CAST(i AS TEXT), "
                   "1 + LENGTH(CAST(i AS TEXT))), '', 0, '', '', 'x', '', NULL, NULL, '' FROM n")) == "");
  REQUIRE(why(host.advance_ms(3'600'000)) == "");
  CHECK(host.rows("id").empty());
}
