#include "routes/row_order.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace patchbay::sip_trunk {
namespace {

// Enough for 20 moves into one gap before all rows get new places.
constexpr int64_t kStep = int64_t{1} << 20;
constexpr int64_t kCatchallPlace = std::numeric_limits<int64_t>::max();

RouteRow automatic_catchall(const std::string& user) {
  auto row = RouteRow::inbound("*", "", user);
  row->source = Source::automatic;
  return *std::move(row);
}

int64_t place_before(const RouteRows& rows, size_t index) { return index == 0 ? 0 : rows[index - 1].place; }

// The place of the next row that has one; 0: none follows.
int64_t place_after(const RouteRows& rows, size_t index) {
  for (size_t i = index + 1; i < rows.size(); ++i)
    if (rows[i].place != 0 && !rows[i].is_catchall()) return rows[i].place;
  return 0;
}

void renumber(RouteRows& rows) {
  int64_t place = 0;
  for (RouteRow& row : rows)
    if (!row.is_catchall()) row.place = place += kStep;
}

}  // namespace

RouteRows all_rows(Domain domain, const RouteRows& configured, const RouteRows& stored,
                   const std::string& default_user) {
  RouteRows rows;
  const RouteRow* catchall = nullptr;
  for (const RouteRows* source : {&configured, &stored}) {
    for (const RouteRow& row : *source) {
      if (!row.is_catchall()) {
        rows.push_back(row);
      } else if (catchall == nullptr) {
        catchall = &row;
      }
    }
  }
  if (catchall != nullptr) {
    rows.push_back(*catchall);
  } else if (domain == Domain::inbound) {
    rows.push_back(automatic_catchall(default_user));
  }
  return rows;
}

void assign_places(RouteRows& stored) {
  std::stable_partition(stored.begin(), stored.end(), [](const RouteRow& row) { return !row.is_catchall(); });
  for (size_t i = 0; i < stored.size(); ++i) {
    if (stored[i].is_catchall()) stored[i].place = kCatchallPlace;
    if (stored[i].place != 0) continue;
    const int64_t before = place_before(stored, i);
    const int64_t after = place_after(stored, i);
    stored[i].place = after == 0 ? before + kStep : before + (after - before) / 2;
    if (stored[i].place == before) return renumber(stored);
  }
}

void move_row(RouteRows& stored, size_t from, int64_t position) {
  if (stored[from].is_catchall()) return;
  RouteRow row = std::move(stored[from]);
  stored.erase(stored.begin() + static_cast<std::ptrdiff_t>(from));
  const auto movable =
      std::count_if(stored.begin(), stored.end(), [](const RouteRow& one) { return !one.is_catchall(); });
  const auto to = std::clamp<int64_t>(position - 1, 0, movable);
  if (to != static_cast<int64_t>(from)) row.place = 0;
  stored.insert(stored.begin() + static_cast<std::ptrdiff_t>(to), std::move(row));
}

int64_t position_of(const RouteRows& rows, const std::string& id) {
  int64_t position = 0;
  for (const RouteRow& row : rows) {
    if (row.source != Source::api || row.is_catchall()) continue;
    ++position;
    if (row.id == id) return position;
  }
  return 0;
}

}  // namespace patchbay::sip_trunk
