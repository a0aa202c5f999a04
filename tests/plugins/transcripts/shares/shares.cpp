// Public links to transcripts: made and revoked by an admin, opened by anybody.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "plugins/transcripts/transcript_server.h"
#include "runtime/manual_clock.h"

using namespace patchbay;
using namespace patchbay::test;
using namespace transcripts_test;

namespace {

constexpr char kShares[] = "/api.ashx/v1/admin/shares";
constexpr char kEllipsis[] = "\xE2\x80\xA6";

bool share_contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

struct Made {
  std::string id, token;
};

Made make_share(const std::string& more = "") {
  const auto made = ask("POST", kShares, R"({"file":"oac-1.json")" + more + "}");
  INFO(made.body);
  CHECK(made.status == 201);
  return {probe::text_member(made.body, "id"), probe::text_member(made.body, "token")};
}

http::Response open(const std::string& token, const std::string& accept = "application/json",
                    const std::string& remote = "192.0.2.7", bool is_head = false) {
  http::Request request;
  request.path = "/share/" + token;
  request.params.add("token", token);
  request.headers.add("accept", accept);
  request.headers.add("x-forwarded-for", "198.51.100.99");
  request.remote = remote;
  request.is_head = is_head;
  auto response = probe::ask("GET", "/share/{token}", request);
  REQUIRE(response);
  return *std::move(response);
}

struct ShareServer {
  explicit ShareServer(core::ManualClock* clock = nullptr) : server(kConfig, clock, {probe::entry()}) {
    REQUIRE(server.start_error() == "");
    REQUIRE(save(document("oac-1"), "oac-1") == "");
  }
  TestServer server;
};

}  // namespace

TEST_CASE("a share is created, listed, opened as page and as JSON, and revoked") {
  ShareServer server;
  const auto made = ask("POST", kShares, R"({"file":"oac-1.json","ttlHours":24})");
  CHECK(made.status == 201);
  const std::string id = probe::text_member(made.body, "id");
  const std::string token = probe::text_member(made.body, "token");
  CHECK(token.size() == 43);
  CHECK(share_contains(made.body, "\"path\":\"/share/" + token + "\""));
  CHECK(share_contains(made.body, R"("callId":"oac-1","attempt":1,"ttlHours":24)"));
  CHECK(share_contains(made.body, R"("createdBy":"tester")"));

  const auto listed = ask("GET", kShares);
  CHECK(listed.total == 1);
  CHECK(share_contains(listed.body, "\"token\":\"" + (kEllipsis + token.substr(35)) + "\""));
  CHECK_FALSE(share_contains(listed.body, token));
  CHECK(share_contains(listed.body, R"("views":0,"lastViewedUtc":null)"));

  const auto page = open(token, "text/html");
  CHECK(page.status == 200);
  CHECK(page.content_type == "text/html; charset=utf-8");
  CHECK(share_contains(page.body, "Call with Ann"));
  const auto json = open(token);
  CHECK(json.status == 200);
  CHECK(json.content_type == "application/json");
  CHECK(share_contains(json.body, R"({"displayName":"Ann","startedUtc":"2026-11-20T07:00:01.000Z",)"));
  CHECK(share_contains(json.body,
                       R"("turns":[{"speaker":"AI","text":"Hello","ts":"2026-11-20T07:00:02.000Z"}])"));
  for (const std::string& body : {page.body, json.body})
    for (const char* internal :
         {"joe-the-admin", "x@example.com", "m-model", "t-trunk", "4930123456", "a.example"})
      CHECK_MESSAGE(!share_contains(body, internal), internal);
  CHECK(share_contains(ask("GET", kShares).body, R"("views":2,"lastViewedUtc":"2)"));

  const auto gone = ask("DELETE", std::string(kShares) + "/" + id);
  CHECK(gone.status == 200);
  CHECK(share_contains(gone.body, R"({"deleted":{"id":")" + id));
  CHECK_FALSE(share_contains(gone.body, token));
  CHECK(open(token).status == 404);
  CHECK(ask("DELETE", std::string(kShares) + "/" + id).status == 404);
  CHECK(ask("GET", kShares).total == 0);
}

TEST_CASE("H12: a share link cannot be guessed, found or kept by others") {
  ShareServer server;
  std::set<std::string> tokens;
  for (int i = 0; i < 50; ++i) tokens.insert(make_share().token);
  CHECK(tokens.size() == 50);
  const std::string token = *tokens.begin();

  // The data folder has the hash only.
  for (const auto& file : std::filesystem::recursive_directory_iterator(server.server.data())) {
    if (!file.is_regular_file()) continue;
    std::ifstream in(file.path(), std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(in), {});
    CHECK_MESSAGE(!share_contains(bytes, token), file.path().string());
  }
  CHECK_FALSE(share_contains(server.server.log(), token));

  for (const char* accept : {"text/html", "application/json"}) {
    for (const std::string& which : {token, std::string(43, 'x')}) {
      const auto answer = open(which, accept);
      CHECK(answer.headers.text("Referrer-Policy") == "no-referrer");
      CHECK(share_contains(std::string(answer.headers.text("X-Robots-Tag")), "noindex"));
      CHECK(
          share_contains(std::string(answer.headers.text("Content-Security-Policy")), "default-src 'none'"));
      CHECK(answer.headers.text("Vary") == "Accept");
    }
  }

  // Guesses are limited per address; a valid link still works from there, and guesses from elsewhere, too.
  int missing = 0, limited = 0, found = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string guess = token;
    guess[static_cast<size_t>(i) % 43] = guess[static_cast<size_t>(i) % 43] == 'a' ? 'b' : 'a';
    const auto status = open(guess, "application/json", "203.0.113.5").status;
    missing += status == 404 ? 1 : 0;
    limited += status == 429 ? 1 : 0;
    found += status == 200 ? 1 : 0;
  }
  CHECK(found == 0);
  CHECK(limited > 1800);
  CHECK(missing + limited == 2000);
  CHECK(open(token, "application/json", "203.0.113.5").status == 200);
  CHECK(open(std::string(43, 'x'), "application/json", "203.0.113.6").status == 404);
}

TEST_CASE("unknown, expired and revoked shares get the same answer") {
  core::ManualClock clock;
  ShareServer server(&clock);
  const Made revoked = make_share(), expired = make_share(R"(,"ttlHours":1)"),
             lasting = make_share(R"(,"ttlHours":0)");
  CHECK(open(expired.token).status == 200);
  CHECK(ask("DELETE", std::string(kShares) + "/" + revoked.id).status == 200);
  clock.advance(std::chrono::hours(2));
  for (const char* accept : {"text/html", "application/json"}) {
    const auto unknown = open(std::string(43, 'x'), accept);
    CHECK(unknown.status == 404);
    for (const std::string& token :
         {revoked.token, expired.token, std::string("short"), std::string(43, '-')}) {
      const auto answer = open(token, accept);
      CHECK(answer.status == 404);
      CHECK(answer.body == unknown.body);
      CHECK(answer.content_type == unknown.content_type);
    }
  }
  CHECK(share_contains(open("x", "text/html").body, "This link does not work"));
  CHECK(open("x").body == R"({"error":"not_found","error_description":"no such share"})");
  CHECK(ask("GET", kShares).total == 1);
  clock.advance(std::chrono::hours(24 * 3650));
  CHECK(open(lasting.token).status == 200);
}

TEST_CASE("share events have the specified fields and the masked token") {
  ShareServer server;
  const EventRecorder events("share.*");
  const Made share = make_share(R"(,"ttlHours":0)");
  CHECK(open(share.token, "text/html", "192.0.2.7", true).status == 200);  // HEAD
  CHECK(open(share.token).status == 200);
  CHECK(ask("DELETE", std::string(kShares) + "/" + share.id).status == 200);
  REQUIRE(events.wait_for(3));
  const std::string masked = kEllipsis + share.token.substr(35);
  const auto all = events.all();
  REQUIRE(all.size() == 3);
  CHECK(all[0] == R"(share.created a.example {"token":")" + masked +
                      R"(","file":"oac-1.json","ttlHours":0,"createdBy":"tester","expiresUtc":null})");
  CHECK(all[1] ==
        R"(share.viewed a.example {"token":")" + masked + R"(","file":"oac-1.json","viewerIp":"192.0.2.7"})");
  CHECK(all[2] ==
        R"(share.revoked a.example {"token":")" + masked + R"(","file":"oac-1.json","revokedBy":"tester"})");
}

TEST_CASE("creation and revocation of shares are audited without the token") {
  ShareServer server;
  const Made share = make_share();
  CHECK(ask("DELETE", std::string(kShares) + "/" + share.id).status == 200);
  const auto records = probe::audited(2);
  REQUIRE(records.size() == 2);
  CHECK(records[0].action == "share.created");
  CHECK(records[0].object == share.id);
  CHECK(records[0].actor == "tester");
  CHECK(records[0].before == "");
  CHECK(share_contains(records[0].after, "\"file\":\"oac-1.json\""));
  CHECK(records[1].action == "share.revoked");
  CHECK(records[1].after == "");
  for (const auto& record : records) CHECK_FALSE(share_contains(record.before + record.after, share.token));
}

TEST_CASE("shares belong to their tenant and to existing transcripts") {
  ShareServer server;
  CHECK(ask("POST", kShares, R"({"file":"oac-2.json"})").status == 404);
  CHECK(ask("POST", kShares, R"({"file":"oac-1.json"})", {}, "b.example").status == 404);
  CHECK(ask("POST", kShares, R"({"file":"../oac-1.json"})").status == 404);
  CHECK(ask("POST", kShares, "{}").status == 400);
  CHECK(ask("POST", kShares, R"({"file":"oac-1.json","ttlHours":8761})").status == 400);
  CHECK(ask("POST", kShares, R"({"file":"oac-1.json","ttlHours":-1})").status == 400);
  CHECK(ask("POST", kShares, R"({"file":"oac-1.json"})", {}, "").status == 400);
  const Made share = make_share();
  CHECK(ask("GET", kShares, "", {}, "b.example").total == 0);
  CHECK(ask("DELETE", std::string(kShares) + "/" + share.id, "", {}, "b.example").status == 404);
  CHECK(open(share.token).status == 200);
  server.server.restart();
  CHECK(open(share.token).status == 200);
}
