#include "virtual_number.h"

#include <doctest/doctest.h>

using namespace patchbay;
using namespace patchbay::numbers;

TEST_CASE("a number is compared in one form, and an error has the rule and an example") {
  CHECK(*normalise("0049 (30) 12-34.567/00") == "+4930123456700");
  CHECK(*normalise("100") == "100");
  for (const char* wrong : {"", "+0123", "anna", "+49 (0)30 1234", "*"}) {
    const auto refused = normalise(wrong);
    REQUIRE(!refused.ok());
    CHECK(
        refused.error().text ==
        "number must be + and up to 15 digits, or an extension of up to 20 digits; for example +4930123450");
  }
}

TEST_CASE("each mode has what it needs") {
  VirtualNumber number;
  number.mode = "disabled";
  CHECK(numbers::check(number));
  number.mode = "ring-user";
  CHECK(numbers::check(number).error().text.find("user is required") == 0);
  number.user = "alice";
  CHECK(numbers::check(number));
  number.mode = "live-voice-ai";
  CHECK(numbers::check(number).error().text.find("systemPrompt is required") == 0);
  number.system_prompt = "Help.";
  CHECK(numbers::check(number));
}

TEST_CASE("transfer targets survive their form in the store") {
  for (const std::vector<std::string>& targets :
       {std::vector<std::string>{}, {"alice"}, {"alice", "+49 30 1", "Bob B."}})
    CHECK(split_targets(join_targets(targets)) == targets);
}
