#include "routes.h"

#include "fixture.h"

using namespace numbers_test;

namespace {

constexpr char kConfigured[] = R"({"localhost": {"section": {"list": [
  {"name": "One", "number": "+4930100", "systemPrompt": "x", "apiKey": "canary-key-0", "voice": "kore"},
  {"name": "Two", "number": "100", "mode": "disabled"}]}}, "b.example": {}})";

std::string numbers_in(const std::string& list) {
  std::string all;
  const std::string_view mark = R"("number":")";
  for (size_t at = list.find(mark); at != std::string::npos; at = list.find(mark, at)) {
    at += mark.size();
    all += list.substr(at, list.find('"', at) - at) + " ";
  }
  return all;
}

}  // namespace

TEST_CASE("a number is created with defaults, read, changed and deleted, and each change is audited") {
  Fixture fixture;
  const auto made = fixture.ask(
      "POST", kAdmin,
      R"({"Name": "Desk", "number": "0049 30 200", "systemPrompt": "Help.", "apiKey": "canary-key-1",
                                    "voice": "KORE", "greeting": null})");
  CHECK(made.status == 201);
  const std::string record =
      R"({"name":"Desk","number":"+4930200","mode":"live-voice-ai","user":"","voice":"Kore","language":"en-US",)"
      R"("model":"","systemPrompt":"Help.","apiKey":"canary-key-1","greeting":"","saveTranscripts":true,)"
      R"("maxDurationSec":3500,"visibility":"signed-in","transferTargets":[],"transferBy":"","source":"api"})";
  CHECK(made.body == record);
  CHECK(fixture.ask("GET", std::string(kAdmin) + "/%2B49%2030200").body == record);
  CHECK(fixture.ask("GET", std::string(kAdmin) + "/+4930200").body == record);
  CHECK(fixture.ask("GET", kList).body ==
        R"({"data":[)" + record + R"(],"tenant":"localhost","total":1,"limit":50,"offset":0,"next":null})");

  const std::string path = std::string(kAdmin) + "/+4930200";
  const auto changed = fixture.ask(
      "PATCH", path,
      R"({"mode": "ring-user", "user": "alice", "transferTargets": ["bob"], "number": "+49 30 200"})");
  CHECK(changed.status == 200);
  CHECK(has(changed.body, R"("mode":"ring-user","user":"alice")"));
  CHECK(has(changed.body, R"("apiKey":"canary-key-1")"));
  CHECK(has(changed.body, R"("transferTargets":["bob"])"));
  CHECK(has(fixture.ask("PATCH", path, R"({"transferBy": "refer", "apiKey": "canary-key-2"})").body,
            R"("transferBy":"refer")"));
  CHECK(has(fixture.ask("GET", path).body, R"("transferBy":"refer")"));
  CHECK(fixture.ask("PATCH", path, R"({"apiKey": "canary-key-2", "user": "alice"})").status ==
        200);  // as it is
  const auto deleted = fixture.ask("DELETE", path);
  CHECK(deleted.status == 200);
  CHECK(has(deleted.body, R"({"deleted":{"name":"Desk")"));
  CHECK(fixture.ask("DELETE", path).status == 404);
  CHECK(fixture.ask("GET", path).status == 404);

  const auto records = fixture.audit.records();
  REQUIRE(records.size() == 4);
  CHECK(records[0].action == "number.created");
  CHECK(records[0].object == "+4930200");
  CHECK(records[1].action == "number.changed");
  CHECK(has(records[1].before, R"("mode":"live-voice-ai")"));
  CHECK(has(records[1].after, R"("mode":"ring-user")"));
  CHECK(has(records[2].after, R"("apiKeyReplaced":true)"));
  CHECK(records[3].action == "number.deleted");
  CHECK(records[3].after == "");
  for (const auto& each : records) CHECK(!has(each.before + each.after, "canary"));
}

TEST_CASE("the list has the configured numbers in document order, then the others as they were made") {
  Fixture fixture(kConfigured);
  REQUIRE(fixture.make("300") == 201);
  REQUIRE(fixture.make("200") == 201);
  REQUIRE(fixture.make("400") == 201);
  CHECK(numbers_in(fixture.ask("GET", kList).body) == "+4930100 100 300 200 400 ");
  CHECK(has(fixture.ask("GET", kList).body, R"("voice":"Kore")"));
  CHECK(numbers_in(fixture.ask("GET", std::string(kList) + "?limit=2&offset=1").body) == "100 300 ");
  CHECK(numbers_in(fixture.ask("GET", std::string(kList) + "?limit=2&offset=3").body) == "200 400 ");
  CHECK(numbers_in(fixture.ask("GET", std::string(kList) + "?offset=5").body) == "");
  CHECK(has(fixture.ask("GET", std::string(kList) + "?limit=2&offset=1").body, R"("total":5)"));
  CHECK(numbers_in(fixture.ask("GET", kAdmin).body) == "+4930100 100 300 200 400 ");
  CHECK(has(fixture.ask("GET", kList, "", "b.example").body, R"("data":[],"tenant":"b.example","total":0)"));
}

TEST_CASE("a configured number is read-only, and hides one of REST with the same number") {
  Fixture fixture;
  REQUIRE(fixture.make("100", R"(, "greeting": "old")") == 201);
  REQUIRE(fixture.make("300") == 201);
  REQUIRE(why(fixture.host.reconfigure("{}", kConfigured)) == "");
  CHECK(numbers_in(fixture.ask("GET", kList).body) == "+4930100 100 300 ");
  CHECK(numbers_in(fixture.ask("GET", std::string(kList) + "?offset=2").body) == "300 ");
  CHECK(fixture.host.logged("a virtual number of the REST API is hidden by a configured one"));
  const std::string path = std::string(kAdmin) + "/100";
  CHECK(has(fixture.ask("GET", path).body, R"("source":"config")"));
  for (const char* method : {"PATCH", "DELETE"}) {
    const auto refused = fixture.ask(method, path, "{}");
    CHECK(refused.status == 409);
    CHECK(has(refused.body, R"("error":"read_only")"));
  }
  CHECK(fixture.make("100") == 409);
  CHECK(fixture.make("+49 30 100") == 409);
  REQUIRE(why(fixture.host.reconfigure("{}", kTenants)) == "");
  CHECK(has(fixture.ask("GET", path).body, R"("greeting":"old")"));
}

TEST_CASE("what is wrong is named, with its rule") {
  Fixture fixture;
  const auto refusal = [&](const std::string& body) {
    const auto refused = fixture.ask("POST", kAdmin, body);
    CHECK(refused.status == 400);
    CHECK(has(refused.body, R"("error":"invalid_request")"));
    return refused.body;
  };
  CHECK(has(refusal("{}"), "name"));
  CHECK(has(refusal(R"({"name": "A", "number": "anna", "systemPrompt": "x"})"),
            "number must be + and up to 15"));
  CHECK(has(refusal(R"({"name": "A", "number": "1"})"), "systemPrompt is required"));
  CHECK(has(refusal(R"({"name": "A", "number": "1", "mode": "ring-user"})"), "user is required"));
  CHECK(has(refusal(R"({"name": "A\nB", "number": "1", "mode": "disabled"})"), "name must be printable"));
  CHECK(has(refusal(R"({"name": "A", "number": "1", "mode": "off"})"), "mode"));
  CHECK(
      has(refusal(R"({"name": "A", "number": "1", "mode": "disabled", "visibility": "all"})"), "visibility"));
  CHECK(has(refusal(R"({"name": "A", "number": "1", "mode": "disabled", "maxDurationSec": 9})"),
            "maxDurationSec"));
  CHECK(has(refusal(R"({"name": "A", "number": "1", "mode": "disabled", "maxDurationSec": 3601})"),
            "maxDurationSec"));
  CHECK(has(refusal(R"({"name": "A", "number": "1", "mode": "disabled", "language": "english!"})"),
            "language"));
  CHECK(has(refusal(R"({"name": "A", "number": "1", "mode": "disabled", "voice": "Bob"})"), "voice"));
  CHECK(has(refusal(R"({"name": "A", "number": "1", "mode": "disabled", "transferTargets": ["a\nb"]})"),
            "transferTargets"));
  const std::string key =
      refusal(R"({"name": "A", "number": "1", "mode": "disabled", "apiKey": "canary key 12"})");
  CHECK(has(key, "apiKey must be"));
  CHECK(!has(key, "canary"));
  CHECK(fixture.ask("POST", kAdmin, R"({"name": "A", "number": "1", "mode": "disabled"})", "c.example")
            .status == 400);
  CHECK(fixture.make("1") == 201);
  const auto twice = fixture.ask("POST", kAdmin, R"({"name": "B", "number": "1", "mode": "disabled"})");
  CHECK(twice.status == 409);
  CHECK(has(twice.body, R"("error":"conflict")"));
  const std::string path = std::string(kAdmin) + "/1";
  CHECK(has(fixture.ask("PATCH", path, R"({"number": "2"})").body, "number cannot be changed"));
  CHECK(has(fixture.ask("PATCH", path, R"({"systemPrompt": ""})").body, "systemPrompt is required"));
}

TEST_CASE("a change that cannot be audited is not made") {
  Fixture fixture;
  fixture.audit.refuse("the audit log is full");
  CHECK(fixture.make("1") == 503);
  CHECK(numbers_in(fixture.ask("GET", kList).body) == "");
}

TEST_CASE("another tenant's number is the same 404 as a missing one") {
  Fixture fixture;
  REQUIRE(fixture.make("1") == 201);
  for (const char* method : {"GET", "PATCH", "DELETE"}) {
    const auto foreign = fixture.ask(method, std::string(kAdmin) + "/1", "{}", "b.example");
    CHECK(foreign.status == 404);
    CHECK(foreign.body == fixture.ask(method, std::string(kAdmin) + "/2", "{}").body);
  }
  CHECK(fixture.make("1", "", "b.example") == 201);
}

TEST_CASE("the API key is sealed in the store, and in no log line") {
  Fixture fixture(kConfigured);
  REQUIRE(fixture.make("1", R"(, "apiKey": "canary-key-1")") == 201);
  REQUIRE(fixture.ask("PATCH", std::string(kAdmin) + "/1", R"({"apiKey": "canary-key-2"})").status == 200);
  const auto rows = fixture.host.sql("SELECT api_key, name FROM numbers_number");
  REQUIRE(rows);
  CHECK(rows->size() == 1);
  CHECK(rows->text(0, 0).size() > 12);
  CHECK(!has(rows->text(0, 0), "canary"));
  for (const auto& line : fixture.host.lines()) CHECK(!has(line.text, "canary"));
  REQUIRE(fixture.host.sql("UPDATE numbers_number SET api_key = $1",
                           {patchbay::Value::bytes("twenty bytes of none")}));
  CHECK(has(fixture.ask("GET", std::string(kAdmin) + "/1").body, R"("apiKey":"")"));
  CHECK(fixture.host.logged("the apiKey of a virtual number cannot be read: set it again"));
}
