#include "routes/unreachable_rows.h"

#include <doctest/doctest.h>

#include <string>

using namespace patchbay;
using namespace patchbay::sip_trunk;

namespace {

// "1<0 3!": row 1 is behind row 0, row 3 contradicts itself.
std::string text_of(const std::vector<UnreachableRow>& rows) {
  std::string all;
  for (const UnreachableRow& row : rows)
    all += (all.empty() ? "" : " ") + std::to_string(row.row) +
           (row.before ? "<" + std::to_string(*row.before) : std::string("!"));
  return all;
}

std::string outbound(const std::vector<std::string>& matches) {
  RouteRows rows;
  for (const std::string& match : matches) rows.push_back(*RouteRow::outbound(match, {"main"}));
  return text_of(unreachable_rows(rows));
}

std::string inbound(const std::vector<std::pair<std::string, std::string>>& pairs) {
  RouteRows rows;
  for (const auto& [did, from] : pairs) rows.push_back(*RouteRow::inbound(did, from, "alice"));
  return text_of(unreachable_rows(rows));
}

}  // namespace

TEST_CASE("outbound routes behind a broader one are unreachable") {
  CHECK(outbound({"+4930*", "+49*", "global"}) == "");
  CHECK(outbound({"+49*", "+4930*", "+4930123", "+43*"}) == "1<0 2<0");
  CHECK(outbound({"global", "*", "1"}) == "1<0 2<0");
  CHECK(outbound({"+493012", "+493012*"}) == "");
  CHECK(outbound({"49*", "+49*"}) == "");
  CHECK(outbound({"+4930*", "+49*", "+493012"}) == "2<0");
}

TEST_CASE("inbound routes behind one of the same did and a broader filter are unreachable") {
  CHECK(inbound({{"200", "+43*"}, {"200", ""}, {"*", ""}}) == "");
  CHECK(inbound({{"200", ""}, {"200", "+43*"}, {"200", "anonymous"}, {"201", "+43*"}}) == "1<0 2<0");
  CHECK(inbound({{"200", "+43*"}, {"200", "+431*"}, {"200", "+4312"}}) == "1<0 2<0");
  CHECK(inbound({{"200", "*"}, {"200", ""}}) == "1<0");
  CHECK(inbound({{"anonymous", ""}, {"200", "anonymous"}, {"200", ""}}) == "1<0");
  CHECK(inbound({{"anonymous", "+43*"}, {"200", ""}}) == "0!");
  CHECK(inbound({{"anonymous", "anonymous"}, {"anonymous", ""}}) == "1<0");
}

TEST_CASE("no call reaches a row that is found, and some call reaches every other one") {
  const std::vector<std::string> dids = {"200", "201", "anonymous", "*"};
  const std::vector<std::string> filters = {"", "*", "+43*", "+431*", "+4312", "anonymous"};
  const std::vector<std::optional<std::string>> callers = {std::nullopt, "+4312", "+4313", "+4323", "+4419"};
  for (const std::string& first_did : dids)
    for (const std::string& first_from : filters)
      for (const std::string& did : dids)
        for (const std::string& from : filters) {
          const RouteRows rows = {*RouteRow::inbound(first_did, first_from, "a"),
                                  *RouteRow::inbound(did, from, "b")};
          bool is_reached = false;
          for (const char* called : {"200", "201", "202"})
            for (const auto& calling : callers)
              is_reached =
                  is_reached || (!rows[0].matches(called, calling) && rows[1].matches(called, calling));
          bool is_found = false;
          for (const UnreachableRow& row : unreachable_rows(rows)) is_found = is_found || row.row == 1;
          INFO(first_did, " ", first_from, ", ", did, " ", from);
          CHECK(is_found != is_reached);
        }
}

TEST_CASE("ten thousand rows are compared quickly") {
  RouteRows rows;
  for (int i = 0; i < 10'000; ++i)
    rows.push_back(*RouteRow::inbound("200", "+4311" + std::to_string(100'000 + i), "alice"));
  CHECK(unreachable_rows(rows).empty());
}
