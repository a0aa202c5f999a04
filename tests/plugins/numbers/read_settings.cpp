#include "read_settings.h"

#include "fixture.h"

using namespace numbers_test;

namespace {

std::string refusal(const std::string& list) {
  Fixture fixture;
  return why(fixture.host.check_config("{}", R"({"a.example": {"section": {"list": [)" + list + "]}}}"));
}

}  // namespace

TEST_CASE("a configured number that is wrong is refused with its place") {
  CHECK(refusal(R"({"name": "A", "number": "100", "systemPrompt": "x"})") == "");
  CHECK(has(refusal(R"({"name": "A", "number": "anna", "systemPrompt": "x"})"),
            "tenants.a.example.numbers.list[0]: number must be + and up to 15 digits"));
  CHECK(has(refusal(R"({"name": "A", "number": "100"})"), "systemPrompt is required"));
  CHECK(has(refusal(R"({"name": "A", "number": "100", "mode": "ring-user"})"), "user is required"));
  CHECK(has(refusal(R"({"name": "A", "number": "100", "mode": "disabled"},
                       {"name": "B", "number": "1 0 0", "mode": "disabled"})"),
            "list[1]: the tenant has this number already"));
}
