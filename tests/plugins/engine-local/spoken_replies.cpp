#include "spoken_replies.h"

#include <doctest/doctest.h>

#include <string>

#include "text/safe_text.h"

using namespace patchbay::lib;
using namespace patchbay::engine_local;

TEST_CASE("the greeting is configured, or the first sentence of the prompt, unless that is an instruction") {
  SessionConfig config;
  CHECK(SpokenReplies(config).greeting() == "Hello, how can I help you?");
  config.system_prompt = "  Good morning, this is the clinic. Ask for the date.";
  CHECK(SpokenReplies(config).greeting() == "Good morning, this is the clinic.");
  config.system_prompt = "You are an assistant.";
  CHECK(SpokenReplies(config).greeting() == "Hello, how can I help you?");
  config.greeting = "Hi.";
  CHECK(SpokenReplies(config).greeting() == "Hi.");
}

TEST_CASE("intents become answers and tool calls, and other sentences are repeated") {
  SessionConfig config;
  config.tools = {{"hang_up", "", {}}, {"transfer_to_user", "", {}}, {"callback_later", "", {}}};
  SpokenReplies replies(config);
  CHECK(replies.reply(Intent::goodbye, "goodbye").tool == "hang_up");
  CHECK(replies.reply(Intent::transfer, "operator").tool == "transfer_to_user");
  CHECK(replies.reply(Intent::later, "call me later").tool == "callback_later");
  CHECK(replies.reply(Intent::none, "the sky is blue").text == "You said: the sky is blue.");
  CHECK(replies.reply(Intent::none, "").text == "I am sorry, I did not catch that.");
  replies.set_last_said("Something.");
  CHECK(replies.reply(Intent::repeat, "").text == "Something.");
  CHECK(SpokenReplies(SessionConfig{}).reply(Intent::goodbye, "").tool.empty());
  CHECK(replies.reply_to_nudge("The caller is silent; ask whether they are still there.").text ==
        "Are you still there?");
}

TEST_CASE("a greeting cut from a long prompt never ends within a UTF-8 character") {
  SessionConfig config;
  for (size_t before = 0; before < 4; ++before) {
    config.system_prompt = std::string(before, 'x');
    for (int i = 0; i < 200; ++i) config.system_prompt += "ä€";
    const std::string greeting = SpokenReplies(config).greeting();
    CHECK(greeting.size() <= 300);
    CHECK(greeting.size() > 290);
    CHECK(valid_text(greeting) == greeting);
  }
}
