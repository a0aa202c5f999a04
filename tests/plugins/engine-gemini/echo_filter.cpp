#include "echo_filter.h"

#include <doctest/doctest.h>

#include <string>

using patchbay::engine_gemini::EchoFilter;

TEST_CASE("echo: our own text, or a longer part of it, is an echo for 5 s") {
  EchoFilter filter;
  filter.sent(1000, "Please answer the caller.");
  CHECK(filter.is_echo(1000, " Please answer the caller. "));
  CHECK(filter.is_echo(5999, "answer the caller"));
  CHECK_FALSE(filter.is_echo(2000, "answer"));  // too short to be distinguished from speech
  CHECK_FALSE(filter.is_echo(2000, "Please answer my question"));
  CHECK_FALSE(filter.is_echo(6000, "Please answer the caller."));
}

TEST_CASE("echo: the latest eight texts are remembered") {
  EchoFilter filter;
  for (int i = 0; i < 9; ++i) filter.sent(0, "sentence number " + std::to_string(i));
  CHECK_FALSE(filter.is_echo(100, "sentence number 0"));
  CHECK(filter.is_echo(100, "sentence number 1"));
  CHECK(filter.is_echo(100, "sentence number 8"));
}

TEST_CASE("replay: a resumed session repeats for 1.5 s, until speech is heard") {
  EchoFilter filter;
  CHECK_FALSE(filter.is_replay(0));
  filter.resumed(1000);
  CHECK(filter.is_replay(2499));
  CHECK_FALSE(filter.is_replay(2500));
  filter.resumed(5000);
  filter.speech_heard();
  CHECK_FALSE(filter.is_replay(5001));
}
