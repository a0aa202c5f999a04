#include "tool_calls.h"

#include <doctest/doctest.h>

#include "gemini_limits.h"

using namespace patchbay::engine_gemini;

TEST_CASE("tools: a call is open until its result, and a repeated one is ignored") {
  ToolCalls calls;
  CHECK(calls.none_open());
  CHECK(calls.open({"id-1", "hang_up", "{}"}) == "id-1");
  CHECK_FALSE(calls.none_open());
  CHECK_FALSE(calls.open({"id-1", "hang_up", "{}"}));
  const auto closed = calls.close("id-1");
  REQUIRE(closed);
  CHECK(closed->name == "hang_up");
  CHECK(closed->server_id == "id-1");
  CHECK_FALSE(calls.close("id-1"));
  CHECK_FALSE(calls.open({"id-1", "hang_up", "{}"}));
  CHECK(calls.none_open());
}

TEST_CASE("tools: calls without an id get different ones") {
  ToolCalls calls;
  const auto first = calls.open({"", "a", "{}"});
  const auto second = calls.open({"", "a", "{}"});
  REQUIRE(first);
  REQUIRE(second);
  CHECK(*first != *second);
  CHECK(calls.close(*first)->server_id.empty());
}

TEST_CASE("tools: all calls are closed when the connection is lost") {
  ToolCalls calls;
  (void)calls.open({"b", "x", "{}"});
  (void)calls.open({"a", "x", "{}"});
  CHECK(calls.close_all() == std::vector<std::string>{"a", "b"});
  CHECK(calls.none_open());
  CHECK(calls.close_all().empty());
}

TEST_CASE("tools: a conversation has a limit of calls") {
  ToolCalls calls;
  for (size_t i = 0; i < kMaxToolCalls; ++i) CHECK(calls.open({std::to_string(i), "x", "{}"}));
  CHECK_FALSE(calls.open({"more", "x", "{}"}));
}
