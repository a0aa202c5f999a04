#include "routes/route_row.h"

#include <doctest/doctest.h>

using namespace patchbay;
using namespace patchbay::sip_trunk;

namespace {

RouteRow called(const std::string& did, const std::string& from = "") {
  auto row = RouteRow::inbound(did, from, "alice");
  if (!row) FAIL(row.error().text);
  return *std::move(row);
}

RouteRow dialled(const std::string& match) {
  auto row = RouteRow::outbound(match, {"main"});
  if (!row) FAIL(row.error().text);
  return *std::move(row);
}

}  // namespace

TEST_CASE("the error of a row names the field and an example, and repeats no input") {
  const auto match = RouteRow::outbound("<x>", {"main"});
  REQUIRE_FALSE(match);
  CHECK(match.error().text == "match must be a number, a prefix followed by *, or global, such as \"+49*\"");
  const auto did = RouteRow::inbound("+49*", "", "alice");
  REQUIRE_FALSE(did);
  CHECK(did.error().text.find("did must be") == 0);
  const auto from = RouteRow::inbound("1", "x", "alice");
  REQUIRE_FALSE(from);
  CHECK(from.error().text.find("fromNumber must be") == 0);
}

TEST_CASE("rows for the same numbers are the same however they are written") {
  CHECK(called("+49 30 12").has_pair_of(called("00493012")));
  CHECK(called("1", "+49*").has_pair_of(called("1", "0049*")));
  CHECK_FALSE(called("1").has_pair_of(called("1", "+49*")));
  CHECK_FALSE(called("1", "anonymous").has_pair_of(called("1")));
  CHECK(dialled("0049*").has_pair_of(dialled("+49*")));
  CHECK_FALSE(dialled("global").has_pair_of(dialled("*")));
}

TEST_CASE("a row keeps the order of its trunks") {
  const auto row = RouteRow::outbound("*", {"b", "a", "c"});
  REQUIRE(row);
  CHECK(row->trunk_ids() == std::vector<std::string>{"b", "a", "c"});
  CHECK(RouteRow::outbound("*", {})->trunk_ids().empty());
}

TEST_CASE("the first row that matches counts") {
  const RouteRows rows = {dialled("+4930*"), dialled("+49*"), dialled("global")};
  CHECK(first_match(rows, "+493012345")->number == "+4930*");
  CHECK(first_match(rows, "+494012345")->number == "+49*");
  CHECK(first_match(rows, "110")->number == "global");
  CHECK(first_match({dialled("+49*")}, "+43123456789") == nullptr);
}
