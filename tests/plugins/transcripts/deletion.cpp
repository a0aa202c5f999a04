// Deletion of transcripts by an admin and by age.
#include <filesystem>
#include <fstream>

#include "plugins/transcripts/transcript_server.h"
#include "runtime/manual_clock.h"

using namespace patchbay;
using namespace patchbay::test;
using namespace transcripts_test;

namespace {

namespace fs = std::filesystem;

constexpr char kTranscripts[] = "/api.ashx/v1/transcripts";

fs::path file_of(const TestServer& server, const std::string& file, const std::string& tenant = "a.example") {
  return server.data() / "transcripts" / tenant / file;
}

http::Response open_share(const std::string& token) {
  http::Request request;
  request.params.add("token", token);
  request.headers.add("accept", "application/json");
  request.remote = "192.0.2.7";
  auto response = probe::ask("GET", "/share/{token}", request);
  REQUIRE(response);
  return *std::move(response);
}

}  // namespace

TEST_CASE("a deleted transcript is gone: list item, file and shares") {
  TestServer server(kConfig, nullptr, {probe::entry()});
  REQUIRE(server.start_error() == "");
  CHECK(save(document("oac-1"), "oac-1") == "");
  CHECK(save(document("oac-1"), "oac-1", 2) == "");
  const auto made = ask("POST", "/api.ashx/v1/admin/shares", R"({"file":"oac-1-2.json"})");
  const std::string token = probe::text_member(made.body, "token");
  CHECK(open_share(token).status == 200);

  CHECK(ask("DELETE", std::string(kTranscripts) + "/oac-1", "", {}, "b.example").status == 404);
  CHECK(ask("DELETE", std::string(kTranscripts) + "/oac-9").status == 404);
  const auto gone = ask("DELETE", std::string(kTranscripts) + "/oac-1");
  CHECK(gone.status == 200);
  CHECK(gone.body == R"({"deleted":{"callId":"oac-1","attempt":2,"file":"oac-1-2.json",)"
                     R"("startedUtc":"2026-11-20T07:00:01.000Z","durationSec":125,"outcome":"far-hangup"}})");
  CHECK(open_share(token).status == 404);
  CHECK(ask("GET", "/api.ashx/v1/admin/shares").total == 0);
  CHECK(ask("GET", kTranscripts).total == 1);
  CHECK(probe::eventually([&] { return !fs::exists(file_of(server, "oac-1-2.json")); }));
  CHECK(fs::exists(file_of(server, "oac-1.json")));
  CHECK(ask("DELETE", std::string(kTranscripts) + "/oac-1", "", {{"attempt", "2"}}).status == 404);
  CHECK(ask("DELETE", std::string(kTranscripts) + "/oac-1", "", {{"attempt", "1"}}).status == 200);
  CHECK(ask("GET", std::string(kTranscripts) + "/oac-1").status == 404);

  const auto records = probe::audited(3);
  REQUIRE(records.size() == 3);
  CHECK(records[1].action == "transcript.deleted");
  CHECK(records[1].object == "oac-1-2.json");
  CHECK(records[1].before.find("\"callId\":\"oac-1\"") != std::string::npos);
}

TEST_CASE("the file of a deleted transcript is removed after a restart, and when it was missing") {
  TestServer server(kConfig, nullptr, {probe::entry()});
  CHECK(save(document("oac-1"), "oac-1") == "");
  CHECK(save(document("oac-2"), "oac-2") == "");
  fs::remove(file_of(server, "oac-2.json"));
  CHECK(ask("DELETE", std::string(kTranscripts) + "/oac-2").status == 200);
  // A folder of that name cannot be removed as a file, so the job stays.
  fs::remove(file_of(server, "oac-1.json"));
  fs::create_directories(file_of(server, "oac-1.json"));
  CHECK(ask("DELETE", std::string(kTranscripts) + "/oac-1").status == 200);
  CHECK(probe::eventually([&] {
    return server.log().find("the file of a deleted transcript cannot be removed") != std::string::npos;
  }));
  CHECK(ask("GET", kTranscripts).total == 0);
}

TEST_CASE("each tenant's transcripts are kept as long as the tenant says, with their shares") {
  core::ManualClock clock;
  TestServer server(
      "plugins: {probe: {}, transcripts: {keepDays: 30}}\n"
      "tenants: {a.example: {primary: true}, b.example: {transcripts: {keepDays: 90}},\n"
      "  c.example: {transcripts: {keepDays: 0}}}\n",
      &clock, {probe::entry()});
  REQUIRE(server.start_error() == "");
  for (const char* tenant : {"a.example", "b.example", "c.example"})
    CHECK(save(document("oac-1"), "oac-1", 1, tenant) == "");
  const auto made = ask("POST", "/api.ashx/v1/admin/shares", R"({"file":"oac-1.json","ttlHours":0})");
  const std::string token = probe::text_member(made.body, "token");
  const auto count = [](const std::string& tenant) { return ask("GET", kTranscripts, "", {}, tenant).total; };
  const auto wait_until_gone = [&](const std::string& tenant) {
    return probe::eventually([&] {
      clock.advance(std::chrono::minutes(1));
      return count(tenant) == 0;
    });
  };
  clock.advance(std::chrono::hours(24 * 31));
  CHECK(wait_until_gone("a.example"));
  CHECK(open_share(token).status == 404);
  CHECK(probe::eventually([&] { return !fs::exists(file_of(server, "oac-1.json")); }));
  CHECK(count("b.example") == 1);
  clock.advance(std::chrono::hours(24 * 60));
  CHECK(wait_until_gone("b.example"));
  CHECK(count("c.example") == 1);
  CHECK(fs::exists(file_of(server, "oac-1.json", "c.example")));
}
