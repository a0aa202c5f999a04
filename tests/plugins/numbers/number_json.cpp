#include "number_json.h"

#include <doctest/doctest.h>
#include <patchbay/testing/test_environment.h>

#include <fstream>
#include <iterator>

using namespace patchbay;
using namespace patchbay::numbers;

TEST_CASE("a number has the same rules and defaults over REST as in the configuration") {
  const testing::TestEnvironment environment;
  std::ifstream in(NUMBERS_SETTINGS);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto settings = environment.host().parse_json(text);
  const auto schema = environment.host().parse_json(create_schema());
  REQUIRE(settings);
  REQUIRE(schema);
  const JsonView configured = (*settings)["tenant"]["properties"]["list"]["items"]["properties"];
  const JsonView created = (*schema)["properties"];
  CHECK(configured.size() == created.size());
  for (size_t i = 0; i < created.size(); ++i) {
    const std::string name(created.key(i));
    CAPTURE(name);
    for (const char* rule : {"type", "enum", "pattern", "minLength", "maxLength", "minimum", "maximum",
                             "maxItems", "default", "x-rule", "x-ignore-case"})
      CHECK(environment.host().write_json(configured[name][rule]) ==
            environment.host().write_json(created[name][rule]));
  }
}

TEST_CASE("the API key is in the record and not in the audit log") {
  VirtualNumber number;
  number.name = "Desk";
  number.number = "+4930123450";
  number.api_key = "canary-key-1";
  number.from_config = true;
  CHECK(number_json(number).find(R"("apiKey":"canary-key-1")") != std::string::npos);
  CHECK(number_json(number).find(R"("source":"config")") != std::string::npos);
  CHECK(audit_json(number).find("canary-key-1") == std::string::npos);
  CHECK(audit_json(number).find(R"("hasApiKey":true})") != std::string::npos);
  CHECK(audit_json(number, true).find(R"("apiKeyReplaced":true})") != std::string::npos);
}
