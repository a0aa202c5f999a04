// The text of sdk/include/patchbay/abi: no types that compilers may lay out differently, and no changes of
// what was recorded.
#include <doctest/doctest.h>

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include "support/boundary_text.h"

namespace {

using namespace patchbay::boundary;

const char* const kHeaders = PATCHBAY_ABI_FOLDER;

}  // namespace

TEST_CASE("the boundary uses no type that compilers or languages lay out differently") {
  const std::regex forbidden(
      "\\b(enum|bool|_Bool|long|short|int|unsigned|signed|float|wchar_t|size_t|time_t|union|va_list|FILE|std|"
      "template|class|virtual|namespace|operator|using)\\b|\\.\\.\\.|&|\\[\\s*\\]|\\w\\s*:\\s*[0-9]");
  const auto all = headers(kHeaders);
  REQUIRE(all.size() >= 9);
  for (const auto& header : all) {
    const std::string& name = header.first;
    const std::string& code = header.second;
    std::smatch found;
    if (std::regex_search(code, found, forbidden)) {
      CAPTURE(name);
      FAIL_CHECK(found.prefix().str().substr(found.prefix().length() > 60 ? found.prefix().length() - 60 : 0)
                 << " >>> " << found.str());
    }
  }
}

TEST_CASE("functions of the boundary return at most two registers by value") {
  const std::regex function("([A-Za-z_][\\w ]*[\\w*])\\(\\*\\w+\\)\\(");
  const std::vector<std::string> small{"void",     "int32_t", "uint32_t", "int64_t",
                                       "uint64_t", "double",  "pb_str"};
  size_t functions = 0;
  for (const auto& [name, members] : structs(kHeaders)) {
    for (const Member& member : members) {
      std::smatch found;
      if (!std::regex_search(member.text, found, function)) continue;
      ++functions;
      const std::string result = found[1];
      CAPTURE(member.text);
      CHECK((result.back() == '*' || std::find(small.begin(), small.end(), result) != small.end()));
    }
  }
  CHECK(functions > 80);
}

TEST_CASE("every function of the boundary is noexcept in C++") {
  for (const auto& [name, members] : structs(kHeaders)) {
    for (const Member& member : members) {
      if (!member.is_function()) continue;
      CAPTURE(member.text);
      CHECK(member.text.find("PB_NOEXCEPT") != std::string::npos);
    }
  }
}

TEST_CASE("every table and struct that may grow starts with its size") {
  const std::vector<std::string> frozen{"pb_str", "pb_buf", "pb_pair", "pb_value", "pb_entry"};
  for (const auto& each : structs(kHeaders)) {
    const std::string& name = each.first;
    const std::vector<Member>& members = each.second;
    if (std::find(frozen.begin(), frozen.end(), name) != frozen.end()) continue;
    CAPTURE(name);
    REQUIRE(!members.empty());
    CHECK(members.front().text == "uint32_t size");
  }
}

TEST_CASE("the boundary differs from its record only by appended members") {
  const Shapes now = shapes(kHeaders);
  const Shapes recorded = golden(PATCHBAY_GOLDEN_BOUNDARY);
  CHECK(recorded.size() > 90);
  for (const std::string& broken : breaks(recorded, now)) FAIL_CHECK(broken);
  for (const std::string& line : unrecorded(recorded, now))
    FAIL_CHECK("the boundary has grown: append to boundary.golden: " << line);
}
