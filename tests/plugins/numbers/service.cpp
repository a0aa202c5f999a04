// patchbay.numbers, as the decision about inbound calls and the conversations use it.
#include <patchbay/services/numbers.h>

#include "fixture.h"

using namespace numbers_test;
using patchbay::Code;
using patchbay::numbers::Numbers;

namespace {

constexpr char kConfiguredNumber[] = R"({"localhost": {"section": {"list": [
  {"name": "Alice", "number": "+4930100", "mode": "ring-user", "user": "alice"}]}}, "b.example": {}})";

}  // namespace

TEST_CASE("a number is found in any spelling, with its key, and only in its tenant") {
  Fixture fixture(kConfiguredNumber);
  REQUIRE(fixture.make(
              "+4930200",
              R"(, "apiKey": "canary-key-1", "transferTargets": ["alice", "bob"], "transferBy": "bridge")") ==
          201);
  const auto find = [&](const std::string& number, const std::string& tenant = "localhost") {
    return fixture.host.call<Numbers>(Numbers::find, {tenant, number});
  };
  const auto ai = find("0049 30 200");
  REQUIRE(ai);
  CHECK(ai->number == "+4930200");
  CHECK(ai->mode == "live-voice-ai");
  CHECK(ai->system_prompt == "Help.");
  CHECK(ai->api_key == "canary-key-1");
  CHECK(ai->max_duration_sec == 3500);
  CHECK(ai->save_transcripts);
  CHECK(ai->transfer_targets == "alice\nbob");
  CHECK(ai->transfer_by == "bridge");
  CHECK(find("+4930100")->user == "alice");
  CHECK(find("+4930100")->transfer_by == "");
  for (const char* unknown : {"+4930300", "anna", ""}) CHECK(find(unknown).error().code == Code::not_found);
  CHECK(find("+4930200", "b.example").error().code == Code::not_found);
  CHECK(find("+4930100", "b.example").error().code == Code::not_found);
}

TEST_CASE("a lookup has what the decision about a call needs") {
  Fixture fixture(kConfiguredNumber);
  REQUIRE(fixture.make("200") == 201);
  const auto lookup = [&](const std::string& number) {
    return fixture.host.call<Numbers>(Numbers::lookup, {"localhost", number});
  };
  CHECK(lookup("200")->mode == "live-voice-ai");
  CHECK(lookup("200")->visibility == "signed-in");
  CHECK(lookup("+4930100")->name == "Alice");
  CHECK(lookup("+4930100")->mode == "ring-user");
  CHECK(lookup("+4930100")->user == "alice");
  CHECK(lookup("201").error().code == Code::not_found);
}

TEST_CASE("a change made by another server on the database is seen at once") {
  Fixture fixture;
  REQUIRE(fixture.make("200") == 201);
  REQUIRE(fixture.host.sql("UPDATE numbers_number SET mode = 'disabled', name = 'Other'"));
  CHECK(fixture.host.call<Numbers>(Numbers::lookup, {"localhost", "200"})->mode == "disabled");
  CHECK(fixture.host.call<Numbers>(Numbers::find, {"localhost", "200"})->name == "Other");
}
