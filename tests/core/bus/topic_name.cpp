#include "bus/topic_name.h"

#include <doctest/doctest.h>

#include <string>

using namespace patchbay::core;

TEST_CASE("Topics are words joined by dots") {
  CHECK(valid_topic("call.answered"));
  CHECK(valid_topic("outbound-ai.finished"));
  CHECK_FALSE(valid_topic(""));
  CHECK_FALSE(valid_topic(".call"));
  CHECK_FALSE(valid_topic("call."));
  CHECK_FALSE(valid_topic("call..x"));
  CHECK_FALSE(valid_topic("call.*"));
  CHECK_FALSE(valid_topic("call \"x\""));
  CHECK_FALSE(valid_topic(std::string(129, 'a')));
  CHECK(reserved_topic("core.dropped"));
  CHECK_FALSE(reserved_topic("corex.dropped"));
}

TEST_CASE("A pattern is a topic, all topics below a prefix, or all topics") {
  CHECK(valid_pattern("*"));
  CHECK(valid_pattern("call.*"));
  for (const char* bad : {"", ".*", "**", "a*", "a.*.b", "a b", "a..b", ".x"})
    CHECK_FALSE(valid_pattern(bad));
  CHECK_FALSE(valid_pattern("call*"));
  CHECK_FALSE(valid_pattern("*.call"));
  CHECK(matches("*", "call.answered"));
  CHECK(matches("call.*", "call.answered"));
  CHECK(matches("call.*", "call.a.b"));
  CHECK_FALSE(matches("call.*", "call"));
  CHECK_FALSE(matches("call.*", "call."));
  CHECK_FALSE(matches("", "call"));
  CHECK_FALSE(matches("call.*", "calls.answered"));
  CHECK(matches("call.answered", "call.answered"));
  CHECK_FALSE(matches("call.answered", "call.answered.twice"));
}
