#include "verbs/answer_tables.h"

#include <doctest/doctest.h>

#include "json/parse.h"

using namespace patchbay::app;

namespace {

patchbay::core::json::Document parse_answer(const char* text) {
  auto document = patchbay::core::json::parse(text);
  REQUIRE(document.ok());
  return *std::move(document);
}

}  // namespace

TEST_CASE("calls and plugins are listed in columns") {
  const auto list =
      parse_answer(R"({"data":[{"callId":"oac-1","phone":"+49","status":"in-flight","durationSec":0}]})");
  CHECK(calls_table(list.root()).find("oac-1") != std::string::npos);
  const auto plugins = parse_answer(
      R"([{"id":"media","version":"1","state":"running","reason":"","provides":["a/1","b/1"]}])");
  CHECK(plugins_table(plugins.root()).find("a/1 b/1") != std::string::npos);
}

TEST_CASE("a virtual number is shown without its API key") {
  const auto number =
      parse_answer(R"({"number":"100","name":"Desk","mode":"live-voice-ai","apiKey":"canary-key-1",
    "saveTranscripts":true,"maxDurationSec":60,"transferTargets":["alice","bob"],"source":"api"})");
  const std::string text = number_text(number.root());
  CHECK(text.find("number           100\n") == 0);
  CHECK(text.find("apiKey           (set)\n") != std::string::npos);
  CHECK(text.find("canary") == std::string::npos);
  CHECK(text.find("transferTargets  alice bob\n") != std::string::npos);
  const auto list = parse_answer(R"({"data":[{"number":"100","name":"Desk","apiKey":"canary-key-1"}]})");
  CHECK(numbers_table(list.root()).find("100     Desk") != std::string::npos);
  CHECK(numbers_table(list.root()).find("canary") == std::string::npos);
}

TEST_CASE("refused routes are listed with the reason") {
  const auto ready = parse_answer(
      R"({"ready":true,"plugins":{},"refused_routes":[{"route":"GET /x","why":"GET /x is routed twice"}]})");
  CHECK(refused_routes(ready.root()) == std::vector<std::string>{"GET /x: GET /x is routed twice"});
  CHECK(refused_routes(parse_answer(R"({"ready":true})").root()).empty());
}

TEST_CASE("a call is shown as one line") {
  const auto talking =
      parse_answer(R"({"status":"in-flight","createdAtUtc":"2026-11-20T08:00:00.000Z","attempt":2,
    "answeredAtUtc":"2026-11-20T08:00:05.000Z","endedAtUtc":null,"trunkId":"main","endedReason":""})");
  CHECK(call_line(talking.root()) == "08:00:05  in-flight  attempt 2 through main");
  const auto failed =
      parse_answer(R"({"status":"ended-failed-final","createdAtUtc":"2026-11-20T08:00:00.000Z","attempt":1,
    "endedAtUtc":"2026-11-20T08:00:09.000Z","endedReason":"no-answer","errorDetail":"486 Busy Here"})");
  CHECK(call_line(failed.root()) == "08:00:09  ended-failed-final  attempt 1  no-answer (486 Busy Here)");
  const auto later =
      parse_answer(R"({"status":"scheduled","createdAtUtc":"2026-11-20T08:00:00.000Z","attempt":1,
    "scheduledForUtc":"2026-11-21T08:00:00.000Z"})");
  CHECK(call_line(later.root()) == "08:00:00  scheduled  for 2026-11-21T08:00:00.000Z");
}

TEST_CASE("a transcript is shown with time, speaker and text of each turn") {
  const auto document =
      parse_answer(R"({"callId":"oac-1","phone":"+49","startedUtc":"2026-11-20T08:00:00.000Z",
    "durationSec":7,"outcome":"finished","turns":[{"speaker":"AI","text":"Hello.","ts":"2026-11-20T08:00:01.000Z"},
    {"speaker":"Caller","text":"Hi.","ts":"2026-11-20T08:00:03.000Z"}]})");
  CHECK(
      transcript_text(document.root()) ==
      "oac-1  +49  2026-11-20T08:00:00.000Z  7 s  finished\n\n08:00:01  AI: Hello.\n08:00:03  Caller: Hi.\n");
}

TEST_CASE("shares and mails are tables") {
  const auto shares = parse_answer(
      R"({"data":[{"id":"shr-1","token":"x","file":"oac-1.json","createdAtUtc":"2026-11-20T08:00:00.000Z",
    "createdBy":"alice","expiresUtc":null,"views":3}]})");
  CHECK(shares_table(shares.root()) ==
        "SHARE  TOKEN  FILE        CREATED (UTC)             BY     EXPIRES (UTC)  VIEWS\n"
        "shr-1  x      oac-1.json  2026-11-20T08:00:00.000Z  alice  never          3\n");
  const auto mails = parse_answer(
      R"({"data":[{"callId":"oac-1","recipient":"a@b.de","state":"sent","tries":1,"error":"",
    "createdAtUtc":"2026-11-20T08:00:00.000Z","lastTryUtc":null,"nextTryUtc":null}]})");
  CHECK(mails_table(mails.root()).find("oac-1  2026-11-20T08:00:00.000Z  a@b.de     sent   1") !=
        std::string::npos);
}

TEST_CASE("a call with a pending retry is not final") {
  CHECK(is_final("ended-success"));
  CHECK(is_final("cancelled"));
  CHECK_FALSE(is_final("ended-failed-retry-pending"));
  CHECK_FALSE(is_final("in-flight"));
}
