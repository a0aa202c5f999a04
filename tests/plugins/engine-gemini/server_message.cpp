#include "server_message.h"

#include <doctest/doctest.h>

#include "client_message.h"
#include "model_family.h"
#include "plugins/lib/engine/json_parser.h"
#include "support/gemini_rules.h"

using namespace patchbay;
using namespace patchbay::lib;
using namespace patchbay::engine_gemini;

namespace {

SessionConfig config_of(const std::string& model) {
  SessionConfig out;
  out.model = model;
  out.system_prompt = "Be \"kind\".\n\xff";
  out.tools = {{"hang_up", "Ends the call.", {{"reason", "why", true}}}, {"noop", "Nothing.", {}}};
  return out;
}

// The setup as JSON, accepted by the rules of the server.
support::JsonDocument setup_of(const std::string& model, SetupOptions options = {}) {
  auto document =
      support::JsonDocument::parse(write_setup(config_of(model), family_of(model), options), 100000);
  REQUIRE(document.ok());
  auto complaint = support::check_setup(document->root()["setup"]);
  CAPTURE(complaint.reason);
  CHECK(complaint.code == 0);
  return *std::move(document);
}

ServerMessage read(std::string_view text) {
  auto message = read_message(lib::test::json(), text);
  REQUIRE(message.ok());
  return *std::move(message);
}

}  // namespace

TEST_CASE("the setup of each family leaves out what that family refuses") {
  struct Row {
    const char* model;
    const char* family;
    bool thinking, behavior, language;
  };
  for (const Row& row : {Row{"gemini-3.8-live", "3.8", false, true, true},
                         Row{"gemini-3.8-live-extended-thinking", "3.8", false, true, true},
                         Row{"gemini-3.1-flash-live-preview", "3.1", true, false, true},
                         Row{"models/gemini-2.5-flash-native-audio-preview-12-2025", "2.5", true, true, true},
                         Row{"gemini-live-2.5-flash-native-audio", "2.5", true, true, true},
                         Row{"gemini-9-live", "unknown", false, false, false}}) {
    CAPTURE(row.model);
    CHECK(std::string(family_of(row.model).name) == row.family);
    auto document = setup_of(row.model);
    support::JsonView setup = document.root()["setup"];
    CHECK(setup["model"].string().substr(0, 7) == "models/");
    CHECK(bool(setup["generationConfig"]["thinkingConfig"]) == row.thinking);
    CHECK(support::holds_key(setup["tools"], "behavior") == row.behavior);
    CHECK(bool(setup["generationConfig"]["speechConfig"]["languageCode"]) == row.language);
    CHECK(setup["sessionResumption"].size() == 0);
    CHECK(!setup["tools"].at(0)["functionDeclarations"].at(1)["parameters"]);
  }
}

TEST_CASE("a resuming setup carries its handle, a carrying-on one the history, a reduced one little") {
  SetupOptions options;
  options.handle = "abc";
  auto resumed = setup_of("gemini-3.8-live", options);
  CHECK(resumed.root()["setup"]["sessionResumption"]["handle"].string() == "abc");
  options = {};
  options.history = "Caller: hi";
  options.reduced = true;
  auto fresh = setup_of("gemini-3.8-live", options);
  support::JsonView setup = fresh.root()["setup"];
  CHECK(setup["systemInstruction"]["parts"].at(0)["text"].string().find("Caller: hi") != std::string::npos);
  CHECK(!setup["realtimeInputConfig"]);
  CHECK(!setup["contextWindowCompression"]);
}

TEST_CASE("client messages are what the server takes") {
  std::string audio;
  int16_t samples[320] = {1, -1};
  write_audio(audio, samples, 320);
  auto document = support::JsonDocument::parse(audio, 100000);
  REQUIRE(document.ok());
  CHECK(support::check_realtime_input(document->root()["realtimeInput"]).code == 0);
  CHECK(document->root()["realtimeInput"]["audio"]["data"].string().size() == 856);
  CHECK(write_text("a\"b") == R"({"realtimeInput":{"text":"a\"b"}})");
  CHECK(write_tool_response("7", "f", R"({"a":1})") ==
        R"({"toolResponse":{"functionResponses":[{"id":"7","name":"f","response":{"output":{"a":1}}}]}})");
}

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

TEST_CASE("wrong types count as absent, and what is no object is refused") {
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
    CHECK(!read_message(lib::test::json(), text).ok());
  CHECK(!read_message(lib::test::json(), std::string(1 << 20, '[')).ok());
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
