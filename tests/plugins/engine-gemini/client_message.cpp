#include "client_message.h"

#include <doctest/doctest.h>

#include "model_family.h"
#include "support/gemini_message_rules.h"

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

// Returns the setup as JSON, checked against the rules of the server.
support::JsonDocument setup_of(const std::string& model, SetupOptions options = {}) {
  auto document =
      support::JsonDocument::parse(write_setup(config_of(model), model_family(model), options), 100000);
  REQUIRE(document.ok());
  auto complaint = support::check_setup(document->root()["setup"]);
  CAPTURE(complaint.reason);
  CHECK(complaint.code == 0);
  return *std::move(document);
}

}  // namespace

TEST_CASE("the setup of each family omits what that family refuses") {
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
    CHECK(std::string(model_family(row.model).name) == row.family);
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

TEST_CASE("a setup has the handle to resume, or the history of a new session in mid-call, or the minimum") {
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

TEST_CASE("the server accepts the client's messages") {
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
