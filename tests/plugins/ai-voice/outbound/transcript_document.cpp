#include "outbound/transcript_document.h"

#include <doctest/doctest.h>
#include <patchbay/testing/test_environment.h>

using namespace patchbay;
using namespace patchbay::ai_voice;

TEST_CASE("each further attempt has its own file") {
  Call call;
  call.call_id = "oac-1";
  CHECK(transcript_file(call) == "oac-1.json");
  call.attempt = 2;
  CHECK(transcript_file(call) == "oac-1-2.json");
}

TEST_CASE("a transcript has the request, the end and the turns") {
  testing::TestEnvironment environment;
  Call call;
  call.call_id = "oac-1";
  call.phone = "+4930123456";
  call.answered_ms = 10'000;
  const engine::Usage usage{30, 20, 10, 0, 0};
  const Ending ending = Ending::completed("finished");
  using Speaker = TranscriptTurn::Speaker;
  const std::string text =
      transcript_document({call,
                           ending,
                           usage,
                           {{Speaker::ai, "Hello.", 11'000}, {Speaker::caller, "Yes?", 12'000}},
                           1,
                           1,
                           5'000,
                           20'500});
  const auto document = environment.host().parse_json(text);
  REQUIRE(document.ok());
  const JsonView root = document->root();
  CHECK(root["phone"].text() == "+4930123456");
  CHECK(root["startedUtc"].text() == "1970-01-01T00:00:05.000Z");
  CHECK(root["durationSec"].integer() == 10);
  CHECK(root["tokensTotal"].integer() == 30);
  CHECK(root["answered"].boolean());
  CHECK(root["outcome"].text() == "finished");
  REQUIRE(root["turns"].size() == 2);
  CHECK(root["turns"].at(0)["speaker"].text() == "AI");
  CHECK(root["turns"].at(1)["text"].text() == "Yes?");
}
