#include "server_message.h"

#include <doctest/doctest.h>

#include "plugins/lib/engine/json_parser.h"

using namespace patchbay;
using namespace patchbay::lib;
using namespace patchbay::engine_gemini;

namespace {

ServerMessage read(std::string_view text) {
  auto message = parse_server_message(lib::test::json(), text);
  REQUIRE(message.ok());
  return *std::move(message);
}

}  // namespace

TEST_CASE("one server message may carry everything at once") {
  auto m =
      read(R"({"serverContent":{"modelTurn":{"parts":[{"inlineData":{"mimeType":"audio/pcm","data":"AAEC"}},
    {"text":"thought","thought":true}]},"inputTranscription":{"text":"in"},"outputTranscription":{"text":"out"},
    "interrupted":true,"generationComplete":true,"turnComplete":true,"turnCompleteReason":"RESPONSE_REJECTED"},
    "usageMetadata":{"promptTokenCount":"515","responseTokenCount":31,"totalTokenCount":546,"thoughtsTokenCount":136},
    "toolCall":{"functionCalls":[{"id":"1","name":"f","args":{"a":[1,2.5,true,null,"x"]}},{"id":"2"}]},
    "toolCallCancellation":{"ids":["1"]},"sessionResumptionUpdate":{"newHandle":"h","resumable":true},
    "goAway":{"timeLeft":"9.5s"},"setupComplete":{"sessionId":"s"},"unknown":{}})");
  REQUIRE(m.audio.size() == 1);
  CHECK(m.audio[0].rate_hz == 24000);
  CHECK(m.audio[0].bytes.size() == 3);
  CHECK(m.input_text == "in");
  CHECK(m.output_text == "out");
  CHECK((m.interrupted && m.generation_complete && m.turn_complete && m.setup_complete));
  CHECK(m.usage->prompt == 515);
  CHECK(m.usage->thoughts == 136);
  REQUIRE(m.calls.size() == 1);
  CHECK(m.calls[0].args_json == R"({"a":[1,2.5,true,null,"x"]})");
  CHECK(m.cancelled_calls == std::vector<std::string>{"1"});
  CHECK(m.resumption->handle == "h");
  CHECK(*m.go_away_ms == 9500);
}

TEST_CASE("fields of a wrong type count as absent, and anything but an object is an error") {
  auto m = read(R"({"serverContent":{"modelTurn":[],"interrupted":"yes","inputTranscription":{"text":5}},
    "toolCall":{"functionCalls":{"id":1}},"usageMetadata":{"promptTokenCount":-1,"totalTokenCount":1e300},
    "goAway":{"timeLeft":"forever"},"sessionResumptionUpdate":7})");
  CHECK(!m.interrupted);
  CHECK(m.input_text.empty());
  CHECK(m.calls.empty());
  CHECK(m.usage->prompt == 0);
  CHECK(*m.go_away_ms == 0);
  CHECK(!m.resumption);
  CHECK(read(R"({"error":{"code":13,"message":"internal"}})").error == "internal");
  for (const char* text : {"", "[]", "7", "{", "\"x\"", "{\"a\":1}x"})
    CHECK(!parse_server_message(lib::test::json(), text).ok());
  CHECK(!parse_server_message(lib::test::json(), std::string(1 << 20, '[')).ok());
}

TEST_CASE("huge tool ids are refused") {
  const auto calls_of = [](size_t id, size_t name, size_t argument) {
    return read(R"({"toolCall":{"functionCalls":[{"id":")" + std::string(id, 'i') + R"(","name":")" +
                std::string(name, 'n') + R"(","args":{"a":")" + std::string(argument, 'a') + R"("}}]}})")
        .calls.size();
  };
  CHECK(calls_of(256, 128, 60'000) == 1);
  CHECK(calls_of(257, 128, 1) == 0);
  CHECK(calls_of(256, 129, 1) == 0);
  CHECK(calls_of(256, 128, 64 * 1024) == 0);
}

TEST_CASE("the rate of the audio is read, an impossible one ignored") {
  auto rate = [](const std::string& mime) {
    auto m = read(R"({"serverContent":{"modelTurn":{"parts":[{"inlineData":{"mimeType":")" + mime +
                  R"(","data":"AA=="}}]}}})");
    return m.audio.empty() ? 0 : m.audio[0].rate_hz;
  };
  CHECK(rate("audio/pcm;rate=16000") == 16000);
  CHECK(rate("audio/pcm;rate=1") == 24000);
  CHECK(rate("audio/mp3") == 0);
}
