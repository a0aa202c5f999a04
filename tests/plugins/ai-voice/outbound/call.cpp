#include "outbound/call.h"

#include <doctest/doctest.h>
#include <patchbay/testing/test_environment.h>

#include <string>
#include <vector>

#include "support/table_scan_check.h"

using namespace patchbay;
using namespace patchbay::ai_voice;

TEST_CASE("a record has every member but waitsFor, even without a value") {
  testing::TestEnvironment environment;
  Call call;
  call.call_id = "oac-1";
  call.status = status::kScheduled;
  call.created_ms = 1'700'000'000'000;
  call.api_key = "a-secret-key";
  JsonWriter out;
  write_call(out, call);
  const std::string text = std::move(out).str();
  CHECK(text.find("a-secret-key") == std::string::npos);
  const auto record = environment.host().parse_json(text);
  REQUIRE(record.ok());
  const JsonView root = record->root();
  CHECK(root.size() == 29);
  CHECK(root["callId"].text() == "oac-1");
  CHECK(root["createdAtUtc"].text() == "2023-11-14T22:13:20.000Z");
  CHECK(root["scheduledForUtc"].is_null());
  CHECK(root["endedAtUtc"].is_null());
  CHECK(root["dispatchedAtUtc"].is_string());
  CHECK(root["answeredAtUtc"].text("x") == "");
  CHECK(root["durationSec"].integer(-1) == 0);
  CHECK(root["attempt"].integer() == 1);
}

TEST_CASE("three statuses are final") {
  int final_ones = 0;
  for (const std::string_view each : kStatuses) {
    CHECK(is_status(each));
    final_ones += is_final(each) ? 1 : 0;
  }
  CHECK(final_ones == 3);
  CHECK_FALSE(is_status("ended"));
  CHECK_FALSE(is_status(""));
}

TEST_CASE("the list of fields has the columns of the table, and insert a parameter for each") {
  test::QueryPlans schema(AI_VOICE_SCHEMA);
  const std::vector<std::string> columns = schema.columns("ai_voice_call");
  REQUIRE(columns.size() == kCallFields.size());
  for (const CallField& field : kCallFields) CHECK(columns[field.column] == field.column_name);
  static_cast<void>(schema.of("insert"));  // fails the test when the numbers differ
}

TEST_CASE("a call read from its row has every field that was written") {
  Call call;
  int64_t number = 1;
  for (const CallField& field : kCallFields) {
    if (field.text != nullptr)
      call.*field.text = std::string(field.column_name);
    else
      call.*field.integer = ++number;
  }
  const Values row = write_row(call);
  std::vector<pb_value> cells;
  for (const Value& value : row) cells.push_back(value.to_abi_value());
  const pb_rows raw{sizeof raw, static_cast<uint32_t>(cells.size()), 1, cells.data()};
  const Call back = read_call(Rows(&raw), 0);
  for (const CallField& field : kCallFields) {
    CAPTURE(field.column_name);
    if (field.text != nullptr)
      CHECK(back.*field.text == call.*field.text);
    else
      CHECK(back.*field.integer == call.*field.integer);
  }
}
