// The pure parts: voice activity, intents, the policy.
#include "vad.h"

#include <doctest/doctest.h>

#include <cmath>

#include "dialog_policy.h"
#include "engine/voices.h"
#include "intent.h"
#include "synthesiser.h"
#include "text/safe_text.h"

using namespace patchbay::lib;
using namespace patchbay::engine_local;

namespace {

CallerAudio::Frame level(int amplitude) {
  CallerAudio::Frame frame;
  for (size_t i = 0; i < frame.size(); ++i)
    frame[i] = static_cast<int16_t>(amplitude * std::sin(static_cast<double>(i) * 0.3));
  return frame;
}

}  // namespace

TEST_CASE("an utterance starts after 120 ms of sound and ends after 600 ms of quiet") {
  Vad vad;
  for (int i = 0; i < 50; ++i) CHECK(vad.push(level(20)) == Vad::Event::none);
  for (int i = 0; i < 5; ++i) CHECK(vad.push(level(5000)) == Vad::Event::none);
  CHECK(vad.push(level(5000)) == Vad::Event::started);
  CHECK(vad.speaking());
  for (int i = 0; i < 20; ++i) vad.push(level(5000));
  for (int i = 0; i < 29; ++i) CHECK(vad.push(level(20)) == Vad::Event::none);
  CHECK(vad.push(level(20)) == Vad::Event::ended);
  CHECK(!vad.speaking());
}

TEST_CASE("steady noise becomes the floor, clicks are no speech") {
  Vad vad;
  int started = 0;
  for (int i = 0; i < 1500; ++i)
    if (vad.push(level(300)) == Vad::Event::started) ++started;
  CHECK(started <= 1);
  for (int i = 0; i < 5; ++i) CHECK(vad.push(level(300)) == Vad::Event::none);
  Vad clicks;
  for (int i = 0; i < 100; ++i) CHECK(clicks.push(level(i % 10 == 0 ? 8000 : 0)) == Vad::Event::none);
}

TEST_CASE("an endless utterance is cut at 15 s") {
  Vad vad;
  int frames = 0;
  while (vad.push(level(frames % 2 == 0 ? 8000 : 20)) != Vad::Event::ended && frames < 2000) ++frames;
  CHECK(frames < 770);
}

TEST_CASE("a command counts only when grammar and language model agree") {
  CHECK(agreed_intent("goodbye", "goodbye") == Intent::goodbye);
  CHECK(agreed_intent("i want to speak to an operator", "i want to speak to an opera") == Intent::transfer);
  CHECK(agreed_intent("call me later", "the weather is nice today") == Intent::none);
  CHECK(agreed_intent("no", "yes please") == Intent::yes);
  CHECK(agreed_intent("", "") == Intent::none);
  CHECK(word_similarity("a b c d", "a x c d") == doctest::Approx(0.75));
}

TEST_CASE("the greeting is configured, or the prompt's first sentence, unless that instructs") {
  SessionConfig config;
  CHECK(DialogPolicy(config).greeting() == "Hello, how can I help you?");
  config.system_prompt = "  Good morning, this is the clinic. Ask for the date.";
  CHECK(DialogPolicy(config).greeting() == "Good morning, this is the clinic.");
  config.system_prompt = "You are an assistant.";
  CHECK(DialogPolicy(config).greeting() == "Hello, how can I help you?");
  config.greeting = "Hi.";
  CHECK(DialogPolicy(config).greeting() == "Hi.");
}

TEST_CASE("intents become answers and tools, the rest is echoed") {
  SessionConfig config;
  config.tools = {{"hang_up", "", {}}, {"transfer_to_user", "", {}}, {"callback_later", "", {}}};
  DialogPolicy policy(config);
  CHECK(policy.answer(Intent::goodbye, "goodbye").tool == "hang_up");
  CHECK(policy.answer(Intent::transfer, "operator").tool == "transfer_to_user");
  CHECK(policy.answer(Intent::later, "call me later").tool == "callback_later");
  CHECK(policy.answer(Intent::none, "the sky is blue").text == "You said: the sky is blue.");
  CHECK(policy.answer(Intent::none, "").text == "I am sorry, I did not catch that.");
  policy.said("Something.");
  CHECK(policy.answer(Intent::repeat, "").text == "Something.");
  CHECK(DialogPolicy(SessionConfig{}).answer(Intent::goodbye, "").tool.empty());
  CHECK(policy.answer_nudge("The caller is silent; ask whether they are still there.").text ==
        "Are you still there?");
}

TEST_CASE("every one of the 14 voices sounds different") {
  CHECK(kVoices.size() == 14);
  for (const std::string_view a : kVoices)
    for (const std::string_view b : kVoices) {
      if (a == b) continue;
      Voice x = voice_of(a), y = voice_of(b);
      CHECK((x.base != y.base || x.stretch != y.stretch || x.pitch != y.pitch));
    }
}

TEST_CASE("a greeting cut from a long prompt never ends in half a character") {
  SessionConfig config;
  for (size_t before = 0; before < 4; ++before) {
    config.system_prompt = std::string(before, 'x');
    for (int i = 0; i < 200; ++i) config.system_prompt += "ä€";
    const std::string greeting = DialogPolicy(config).greeting();
    CHECK(greeting.size() <= 300);
    CHECK(greeting.size() > 290);
    CHECK(valid_text(greeting) == greeting);
  }
}
