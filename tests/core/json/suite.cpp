// JSONTestSuite: texts that a parser must accept, must refuse, or may do either with.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "json/parse.h"

using namespace patchbay::core;

namespace {

// Valid by RFC 8259, refused here: readers differ in which of two equal keys they use, and an attacker could
// exploit that.
const std::map<std::string, std::string> kStricter = {
    {"y_object_duplicated_key.json", "the key a appears twice"},
    {"y_object_duplicated_key_and_value.json", "the key a appears twice"},
};

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("the parser accepts and refuses what JSONTestSuite demands") {
  int accepted = 0, refused = 0, free = 0;
  for (const auto& entry : std::filesystem::directory_iterator(PATCHBAY_JSON_SUITE)) {
    const std::string name = entry.path().filename().string();
    CAPTURE(name);
    const auto result = json::parse(read(entry.path()));
    if (!result.ok()) CHECK(result.error().text.size() < 300);
    if (name[0] == 'i') ++free;
    if (name[0] == 'n') {
      CHECK_FALSE(result.ok());
      ++refused;
    }
    if (name[0] != 'y') continue;
    ++accepted;
    const auto stricter = kStricter.find(name);
    CHECK(result.ok() == (stricter == kStricter.end()));
    if (!result.ok() && stricter != kStricter.end())
      CHECK(result.error().text.find(stricter->second) != std::string::npos);
  }
  CHECK(accepted == 95);
  CHECK(refused == 188);
  CHECK(free == 35);
}
