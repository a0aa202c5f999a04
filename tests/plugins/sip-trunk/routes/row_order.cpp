#include "routes/row_order.h"

#include <doctest/doctest.h>

using namespace patchbay;
using namespace patchbay::sip_trunk;

namespace {

RouteRow ordered_row(const std::string& did, int64_t place = 0) {
  auto row = RouteRow::inbound(did, "", "alice");
  REQUIRE(row);
  row->id = did;
  row->place = place;
  return *std::move(row);
}

std::string dids_of(const RouteRows& rows) {
  std::string all;
  for (const RouteRow& row : rows) all += (all.empty() ? "" : " ") + row.number;
  return all;
}

bool is_ordered(const RouteRows& rows) {
  for (size_t i = 1; i < rows.size(); ++i)
    if (rows[i - 1].place >= rows[i].place) return false;
  return rows.empty() || rows[0].place > 0;
}

}  // namespace

TEST_CASE("configured rows come first, stored ones after them, the catchall last") {
  RouteRow configured = ordered_row("9");
  configured.source = Source::config;
  const RouteRows stored = {ordered_row("*", 5), ordered_row("1", 1), ordered_row("2", 2)};
  CHECK(dids_of(all_rows(Domain::inbound, {configured}, stored, "")) == "9 1 2 *");
  CHECK(dids_of(all_rows(Domain::outbound, {}, {}, "")) == "");
  const RouteRows alone = all_rows(Domain::inbound, {}, {}, "bob");
  REQUIRE(alone.size() == 1);
  CHECK(alone[0].is_catchall());
  CHECK(alone[0].source == Source::automatic);
  CHECK(alone[0].target == "bob");
}

TEST_CASE("a configured catchall takes precedence over a stored one") {
  RouteRow configured = ordered_row("*");
  configured.source = Source::config;
  const RouteRows rows = all_rows(Domain::inbound, {configured}, {ordered_row("*", 5)}, "bob");
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].source == Source::config);
}

TEST_CASE("new rows get places between those of their neighbours") {
  RouteRows rows = {ordered_row("1", 100), ordered_row("2"), ordered_row("3", 200), ordered_row("4")};
  assign_places(rows);
  CHECK(rows[0].place == 100);
  CHECK(rows[2].place == 200);
  CHECK(is_ordered(rows));
}

TEST_CASE("all rows get new places when a gap has no room") {
  RouteRows rows = {ordered_row("1", 100), ordered_row("2"), ordered_row("3", 101)};
  assign_places(rows);
  CHECK(is_ordered(rows));
  CHECK(rows[2].place > 101);
}

TEST_CASE("a thousand rows put at the front stay in order") {
  RouteRows rows;
  for (int i = 0; i < 1000; ++i) {
    rows.insert(rows.begin(), ordered_row(std::to_string(i)));
    assign_places(rows);
    REQUIRE(is_ordered(rows));
  }
}

TEST_CASE("the catchall stays behind rows that are added after it") {
  RouteRows rows = {ordered_row("*"), ordered_row("1"), ordered_row("2")};
  assign_places(rows);
  CHECK(dids_of(rows) == "1 2 *");
  rows.insert(rows.begin() + 2, ordered_row("3"));
  assign_places(rows);
  CHECK(dids_of(rows) == "1 2 3 *");
  CHECK(is_ordered(rows));
}

TEST_CASE("a row moves to a position, and beyond the end it becomes the last one") {
  const RouteRows start = {ordered_row("1", 10), ordered_row("2", 20), ordered_row("3", 30),
                           ordered_row("*", 40)};
  const auto moved = [&](size_t from, int64_t position) {
    RouteRows rows = start;
    move_row(rows, from, position);
    assign_places(rows);
    CHECK(is_ordered(rows));
    return dids_of(rows);
  };
  CHECK(moved(0, 1) == "1 2 3 *");
  CHECK(moved(0, 2) == "2 1 3 *");
  CHECK(moved(0, 3) == "2 3 1 *");
  CHECK(moved(0, 99) == "2 3 1 *");
  CHECK(moved(2, 1) == "3 1 2 *");
  CHECK(moved(3, 1) == "1 2 3 *");
}

TEST_CASE("positions count the rows written over REST only") {
  RouteRow configured = ordered_row("9");
  configured.source = Source::config;
  const RouteRows rows = {configured, ordered_row("1"), ordered_row("2"), ordered_row("*")};
  CHECK(position_of(rows, "1") == 1);
  CHECK(position_of(rows, "2") == 2);
  CHECK(position_of(rows, "*") == 0);
  CHECK(position_of(rows, "9") == 0);
}
