// Host: what a plugin has of it beside the tables.
#include <doctest/doctest.h>
#include <patchbay/testing/test_environment.h>

#include <filesystem>

using namespace patchbay;

TEST_CASE("the caller of parse_json bounds what it reads") {
  const testing::TestEnvironment environment;
  CHECK(environment.host().parse_json("[1,2]", 5).ok());
  const auto refused = environment.host().parse_json("[1,2]", 4);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == Code::exhausted);
  CHECK(refused.error().text == "JSON of 5 bytes exceeds the limit of 4");
  std::string zeros = "[0";
  for (int i = 0; i < 1'000'000; ++i) zeros += ",0";
  CHECK(environment.host().parse_json(zeros + "]").error().code == Code::exhausted);
}

TEST_CASE("a plugin has a folder for its files") {
  const testing::TestEnvironment environment;
  CHECK(std::filesystem::is_directory(environment.host().data_folder()));
}
