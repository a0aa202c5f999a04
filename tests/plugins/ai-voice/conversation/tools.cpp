#include "conversation/tools.h"

#include <doctest/doctest.h>
#include <patchbay/testing/test_environment.h>

using namespace patchbay;
using namespace patchbay::ai_voice;

TEST_CASE("each tool offered to the model has an answer, and an unknown tool has no outcome") {
  testing::TestEnvironment environment;
  const auto tools = environment.host().parse_json(call_tools(Direction::outbound));
  REQUIRE(tools.ok());
  REQUIRE(tools->root().size() == 3);
  for (size_t i = 0; i < tools->root().size(); ++i) {
    const std::string name(tools->root().at(i).text("name", ""));
    CAPTURE(name);
    const ToolAnswer answer = answer_tool(Direction::outbound, name);
    CHECK_FALSE(answer.outcome.empty());
    CHECK(environment.host().parse_json(answer.result).ok());
  }
  const ToolAnswer unknown = answer_tool(Direction::outbound, "transfer_to_user");
  CHECK(unknown.outcome.empty());
  CHECK_FALSE(unknown.hang_up_now);
  CHECK(unknown.result.find("error") != std::string::npos);
}

TEST_CASE("usage is added up") {
  engine::Usage sum{1, 2, 3, 4, 5};
  add_usage(sum, {10, 20, 30, 40, 50});
  CHECK(sum.total == 11);
  CHECK(sum.prompt == 22);
  CHECK(sum.response == 33);
  CHECK(sum.thoughts == 44);
  CHECK(sum.cached == 55);
}

TEST_CASE("a model may transfer calls with targets, and ends no inbound call as one of a voicemail") {
  testing::TestEnvironment environment;
  CHECK(call_tools(Direction::inbound).find(kTransferTool) == std::string::npos);
  const std::string text = call_tools(Direction::inbound, {"alice", "+4930\"1\""});
  CHECK(environment.host().parse_json(text));
  CHECK(text.find("one of: alice, +4930") != std::string::npos);
  CHECK(call_tools(Direction::outbound, {"alice"}).find("one of: alice") != std::string::npos);
  CHECK(call_tools(Direction::outbound).find(kTransferTool) == std::string::npos);
  CHECK(answer_tool(Direction::inbound, "voicemail_detected").outcome.empty());
  CHECK(answer_tool(Direction::inbound, "hang_up").outcome == "finished");
  CHECK(environment.host().parse_json(transfer_rings()));
  CHECK(environment.host().parse_json(transfer_refused("it is \"busy\"")));
}
