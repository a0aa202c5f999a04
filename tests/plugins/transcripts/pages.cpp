// The pages of the lists of transcripts and shares.
#include <chrono>
#include <set>

#include "runtime/manual_clock.h"
#include "transcript_server.h"

using namespace transcripts_test;

namespace {

std::string transcript_started(const std::string& call_id, int second) {
  std::string text = document(call_id);
  const std::string started = "\"startedUtc\":\"2026-11-20T07:00:01.000Z\"";
  return text.replace(text.find(started), started.size(),
                      "\"startedUtc\":\"2026-11-20T07:00:" + std::to_string(10 + second) + ".000Z\"");
}

// Reads all pages of two items, and calls after_page() after each. Returns the values of the member, in
// order.
template <class F>
std::vector<std::string> read_pages(const std::string& path, const std::string& member, F after_page) {
  std::vector<std::string> values;
  probe::Call page{"GET", path};
  page.limit = 2;
  for (int i = 0; i < 10; ++i) {
    const auto answer = probe::call(page);
    CHECK(answer.status == 200);
    const std::string key = "\"" + member + "\":\"";
    for (size_t at = 0; (at = answer.body.find(key, at)) != std::string::npos;) {
      at += key.size();
      values.push_back(answer.body.substr(at, answer.body.find('"', at) - at));
    }
    if (answer.next_cursor.empty()) return values;
    page.query = {{"cursor", answer.next_cursor}};
    page.offset += page.limit;
    after_page();
  }
  return values;
}

}  // namespace

TEST_CASE("the pages of transcripts follow each other without a gap while transcripts are added") {
  patchbay::test::TestServer server(kConfig, nullptr, {probe::entry()});
  REQUIRE(server.start_error() == "");
  for (int i = 0; i < 3; ++i)
    CHECK(save(transcript_started("oac-" + std::to_string(i), i), "oac-" + std::to_string(i)) == "");
  // Of one time.
  CHECK(save(transcript_started("oac-2", 2), "oac-2", 2) == "");
  CHECK(save(transcript_started("oac-3", 2), "oac-3") == "");
  int added = 10;
  const auto files = read_pages("/api.ashx/v1/transcripts", "file", [&] {
    const std::string id = "oac-" + std::to_string(added++);
    CHECK(save(transcript_started(id, added), id) == "");
  });
  CHECK(files ==
        std::vector<std::string>{"oac-3.json", "oac-2.json", "oac-2-2.json", "oac-1.json", "oac-0.json"});
  CHECK(ask("GET", "/api.ashx/v1/transcripts", {}, {{"cursor", "1"}}).status == 400);
  CHECK(ask("GET", "/api.ashx/v1/transcripts", {}, {{"cursor", "5.x"}}).body == R"({"data":[]})");
}

TEST_CASE("the pages of shares follow each other without a gap while shares are added") {
  patchbay::core::ManualClock clock;
  patchbay::test::TestServer server(kConfig, &clock, {probe::entry()});
  REQUIRE(server.start_error() == "");
  CHECK(save(document("oac-1"), "oac-1") == "");
  std::set<std::string> made;
  const auto share = [&] {
    clock.advance(std::chrono::milliseconds(1));
    const auto answer = ask("POST", "/api.ashx/v1/admin/shares", R"({"file":"oac-1.json"})");
    CHECK(answer.status == 201);
    return probe::text_member(answer.body, "id");
  };
  while (made.size() < 5) made.insert(share());
  const auto ids = read_pages("/api.ashx/v1/admin/shares", "id", [&] { share(); });
  CHECK(ids.size() == 5);
  CHECK(std::set<std::string>(ids.begin(), ids.end()) == made);
}
