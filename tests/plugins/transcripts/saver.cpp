#include <doctest/doctest.h>
#include <patchbay/bus.h>
#include <patchbay/services/transcripts.h>
#include <patchbay/store.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "runtime/manual_clock.h"
#include "support/probe_requests.h"
#include "support/test_server.h"

using namespace patchbay;
using namespace patchbay::test;
using patchbay::transcripts::Save;
using patchbay::transcripts::Saved;
using patchbay::transcripts::Transcripts;

namespace {

constexpr const char* kYaml =
    "plugins: {probe: {}, transcripts: {}}\n"
    "tenants: {a.example: {primary: true}, b.example: {}}\n";

std::string outbound(const std::string& call_id, const std::string& started, const std::string& name) {
  return R"({"callId":")" + call_id +
         R"(","callerSource":"outbound-ai","tenant":"a.example","requestedBy":"joe","phone":"+4930123456",)"
         R"("displayName":")" +
         name +
         R"(","email":"x@example.com","voice":"Aoede","language":"en-US","model":"m","trunkId":"t",)"
         R"("startedUtc":")" +
         started + R"(","answeredUtc":")" + started +
         R"(","endedUtc":"2026-11-20T07:00:10.000Z","durationSec":9,"inputTurns":1,"outputTurns":1,"tokensTotal":30,)"
         R"("tokensPrompt":20,"answered":true,"outcome":"finished","errorDetail":"",)"
         R"("turns":[{"speaker":"AI","text":"Grüezi","ts":"x"},{"speaker":"Caller","text":"hi","ts":"y"}]})";
}

Save make_save(const std::string& document, const std::string& call_id, int64_t attempt = 1,
               const std::string& tenant = "a.example") {
  Save save;
  save.document = document;
  save.call_id = call_id;
  save.attempt = attempt;
  save.tenant = tenant;
  save.rule = "campaign 50%";
  save.correlation = "c1";
  return save;
}

// Saves and commits. Returns the error, or "".
std::string keep(const Save& what) {
  const auto result = probe::ask_host<std::string>([what](const Host& host, auto done) {
    auto tx = std::make_shared<Transaction>(host);
    Save save = what;
    save.tx = tx->handle();
    auto lease = std::make_shared<Lease<Transcripts>>(Lease<Transcripts>::query(host));
    lease->call(Transcripts::save, save, [tx, lease, done](Result<Saved> saved) {
      if (!saved) return done(saved.error().text);
      std::move(*tx).commit(
          [done](const Commit& outcome) { done(outcome ? std::string() : outcome.error().text); });
    });
  });
  return result.value_or("no answer");
}

http::Response get(const std::string& path, const NameValues& query = {},
                   const std::string& tenant = "a.example") {
  probe::Call request{"GET", path};
  request.query = query;
  request.tenant = tenant;
  return probe::call(request);
}

http::Response list(const NameValues& query, const std::string& tenant = "a.example") {
  return get("/api.ashx/v1/transcripts", query, tenant);
}

}  // namespace

TEST_CASE("a saved transcript is a file, a list item and an event, and can be read again") {
  TestServer server(kYaml, nullptr, {probe::entry()});
  REQUIRE(server.start_error() == "");
  Promise<std::string> heard;
  using Held = std::shared_ptr<Subscription>;
  auto held = probe::ask_host<Held>([&heard](const Host& host, auto done) {
    auto opened = Subscription::open(host, "transcript.saved", [&heard](const Event& event) {
      heard.set(std::string(event.tenant()) + " " + std::string(event.subject()) + " " +
                std::string(event.correlation()) + " " + std::string(event.payload()));
    });
    done(std::make_shared<Subscription>(*std::move(opened)));
  });
  const std::string document = outbound("oac-0123456789ab", "2026-11-20T07:00:01.000Z", "Ann");
  CHECK(keep(make_save(document, "oac-0123456789ab")) == "");
  CHECK(
      heard.get().value_or("") ==
      R"(a.example oac-0123456789ab c1 {"callId":"oac-0123456789ab","phone":"+4930123456","displayName":"Ann","file":"oac-0123456789ab.json","outcome":"finished","source":"outbound-ai"})");

  std::ifstream in(server.data() / "transcripts/a.example/oac-0123456789ab.json");
  CHECK(std::string(std::istreambuf_iterator<char>(in), {}) == document);

  const auto listed = list({});
  CHECK(listed.total == 1);
  CHECK(
      listed.body.find(
          R"({"data":[{"callId":"oac-0123456789ab","callerSource":"outbound-ai","startedUtc":"2026-11-20T07:00:01.000Z","endedUtc":"2026-11-20T07:00:10.000Z","mtimeUtc":")") ==
      0);
  CHECK(
      listed.body.find(
          R"("durationSec":9,"rule":"campaign 50%","phone":"+4930123456","displayName":"Ann","outcome":"finished","voice":"Aoede","language":"en-US","model":"m","tokensTotal":30,"tokensPrompt":20,"turnCount":2,"size":)") !=
      std::string::npos);
  CHECK(listed.body.find(R"("source":"tenant","file":"oac-0123456789ab.json"}]})") != std::string::npos);

  const auto whole = get("/api.ashx/v1/transcripts/oac-0123456789ab");
  CHECK(whole.status == 200);
  CHECK(whole.body == document);
  probe::ask_host<bool>([&held](const Host&, auto done) {
    held.reset();
    done(true);
  });
}

TEST_CASE("another tenant's transcript is 404, like one that does not exist") {
  TestServer server(kYaml, nullptr, {probe::entry()});
  CHECK(keep(make_save(outbound("oac-1", "2026-11-20T07:00:01Z", "Ann"), "oac-1")) == "");
  const auto foreign = get("/api.ashx/v1/transcripts/oac-1", {}, "b.example");
  CHECK(foreign.status == 404);
  CHECK(foreign.body == get("/api.ashx/v1/transcripts/oac-2").body);
  CHECK(list({}, "b.example").total == 0);
}

TEST_CASE("each attempt has its own transcript, and the latest is the default") {
  TestServer server(kYaml, nullptr, {probe::entry()});
  const std::string first = outbound("oac-1", "2026-11-20T07:00:01Z", "One");
  const std::string second = outbound("oac-1", "2026-11-20T08:00:01Z", "Two");
  CHECK(keep(make_save(first, "oac-1", 1)) == "");
  CHECK(keep(make_save(second, "oac-1", 2)) == "");
  CHECK(get("/api.ashx/v1/transcripts/oac-1").body == second);
  CHECK(get("/api.ashx/v1/transcripts/oac-1", {{"attempt", "1"}}).body == first);
  CHECK(get("/api.ashx/v1/transcripts/oac-1", {{"attempt", "3"}}).status == 404);
  CHECK(list({}).total == 2);
  CHECK(list({}).body.find(R"("file":"oac-1-2.json")") < list({}).body.find(R"("file":"oac-1.json")"));
  server.restart();
  CHECK(get("/api.ashx/v1/transcripts/oac-1").body == second);
}

TEST_CASE("the list filters by source, words and time") {
  TestServer server(kYaml, nullptr, {probe::entry()});
  CHECK(keep(make_save(outbound("oac-1", "2026-11-20T07:00:00Z", "Ann Lee"), "oac-1")) == "");
  CHECK(keep(make_save(outbound("oac-2", "2026-11-20T08:00:00Z", "bob_x"), "oac-2")) == "");
  Save inbound = make_save(
      R"({"callId":"vnum-1","callerSource":"office-tab","number":"+49800","fromNumber":"+4471","startedUtc":"2026-11-20T09:00:00Z","endedUtc":"","durationSec":3,"tokensTotal":5,"outcome":"far-hangup","turns":[]})",
      "vnum-1");
  inbound.rule = "vnum:Desk";
  CHECK(keep(inbound) == "");

  CHECK(list({{"source", "outbound-ai"}}).total == 2);
  CHECK(list({{"source", "vnum"}}).total == 1);
  CHECK(list({{"q", "ANN"}}).total == 1);
  CHECK(list({{"q", "+4930"}}).total == 2);
  CHECK(list({{"q", "4471"}}).total == 1);
  CHECK(list({{"q", "desk"}}).total == 1);
  CHECK(list({{"q", "50%"}}).total == 2);
  CHECK(list({{"q", "0%x"}}).total == 0);
  CHECK(list({{"q", "b_x"}}).total == 1);
  CHECK(list({{"q", "n_L"}}).total == 0);
  CHECK(list({{"q", "' OR 1=1 --"}}).total == 0);
  CHECK(list({{"since", "2026-11-20T08:00:00Z"}}).total == 2);
  CHECK(list({{"since", "2026-11-20T10:00:00+01:00"}}).total == 1);
  CHECK(list({{"since", "yesterday"}}).status == 400);
  CHECK(
      list({{"source", "vnum"}}).body ==
      R"({"data":[{"callId":"vnum-1","callerSource":"office-tab","startedUtc":"2026-11-20T09:00:00.000Z","endedUtc":"","durationSec":3,"rule":"vnum:Desk","number":"+49800","outcome":"far-hangup","tokensTotal":5,"turnCount":0,"size":202,"source":"tenant","file":"vnum-1.json"}]})");
}

TEST_CASE("an invalid file name or document is refused, and nothing is saved") {
  TestServer server(kYaml, nullptr, {probe::entry()});
  CHECK(keep(make_save("{}", "../../etc/passwd")) == "call_id is not a valid file name");
  CHECK(keep(make_save("{}", "a", 1, "..")) == "tenant is not a valid folder name");
  CHECK(keep(make_save("{}", "a", 0)) == "attempt must be 1 to 1000");
  CHECK(keep(make_save("[]", "a")) == "document must be a JSON object");
  CHECK(keep(make_save("{", "a")) != "");
  CHECK(list({}).total == 0);
  CHECK(get("/api.ashx/v1/transcripts/..").status == 404);
  CHECK_FALSE(std::filesystem::exists(server.data() / "transcripts/a.example"));
}

TEST_CASE("a file whose transaction was dropped is not listed, and is replaced later") {
  TestServer server(kYaml, nullptr, {probe::entry()});
  const std::string document = outbound("oac-1", "2026-11-20T07:00:00Z", "Ann");
  probe::ask_host<bool>([](const Host& host, auto done) {
    auto tx = std::make_shared<Transaction>(host);
    Save save = make_save("{}", "oac-1");
    save.tx = tx->handle();
    auto lease = std::make_shared<Lease<Transcripts>>(Lease<Transcripts>::query(host));
    lease->call(Transcripts::save, save, [tx, lease, done](const Result<Saved>& saved) { done(saved.ok()); });
  });
  CHECK(std::filesystem::exists(server.data() / "transcripts/a.example/oac-1.json"));
  CHECK(list({}).total == 0);
  CHECK(get("/api.ashx/v1/transcripts/oac-1").status == 404);
  CHECK(keep(make_save(document, "oac-1")) == "");
  CHECK(get("/api.ashx/v1/transcripts/oac-1").body == document);
}

TEST_CASE("a text that is not UTF-8 loses a character, not the transcript") {
  TestServer server(kYaml, nullptr, {probe::entry()});
  REQUIRE(server.start_error() == "");
  CHECK(keep(make_save(outbound("oac-000000000001", "2026-11-20T07:00:01.000Z", "Zo\xC3 and \xFF"),
                       "oac-000000000001")) == "");
  const auto whole = get("/api.ashx/v1/transcripts/oac-000000000001");
  CHECK(whole.status == 200);
  CHECK(whole.body.find("Zo\xEF\xBF\xBD and \xEF\xBF\xBD") != std::string::npos);
  CHECK(whole.body.find("Grüezi") != std::string::npos);
  CHECK(list({}).body.find("Zo\xEF\xBF\xBD and") != std::string::npos);
}

TEST_CASE("a NUL in a text does not lose the transcript") {
  TestServer server(kYaml, nullptr, {probe::entry()});
  REQUIRE(server.start_error() == "");
  CHECK(keep(make_save(outbound("oac-000000000001", "2026-11-20T07:00:01.000Z", "a\\u0000b"),
                       "oac-000000000001")) == "");
  CHECK(list({}).body.find("\"displayName\":\"a b\"") != std::string::npos);
}

TEST_CASE("a transcript that cannot be saved is logged and counted") {
  TestServer server(kYaml, nullptr, {probe::entry()});
  REQUIRE(server.start_error() == "");
  CHECK(keep(make_save("no JSON", "oac-000000000001")) != "");
  CHECK(server.log().find("a transcript could not be saved") != std::string::npos);
  CHECK(server.core().report("metrics").find("patchbay_transcripts_failed_total 1\n") != std::string::npos);
}

TEST_CASE("old transcripts are deleted after keepDays, file and row") {
  core::ManualClock clock;
  TestServer server(
      "plugins: {probe: {}, transcripts: {keepDays: 30}}\ntenants: {a.example: {primary: true}, b.example: "
      "{}}\n",
      &clock, {probe::entry()});
  REQUIRE(server.start_error() == "");
  const auto document = outbound("oac-000000000001", "2026-11-20T07:00:01.000Z", "Zoe");
  CHECK(keep(make_save(document, "oac-000000000001")) == "");
  clock.advance(std::chrono::hours(24 * 20));
  CHECK(keep(make_save(document, "oac-000000000002")) == "");
  clock.advance(std::chrono::hours(24 * 11));
  const auto file = server.data() / "transcripts" / "a.example" / "oac-000000000001.json";
  CHECK(probe::eventually([&] {
    clock.advance(std::chrono::minutes(1));
    return list({}).body.find("oac-000000000001") == std::string::npos;
  }));
  CHECK(probe::eventually([&] { return !std::filesystem::exists(file); }));
  CHECK(list({}).body.find("oac-000000000002") != std::string::npos);
}
