// Finds rows that no call can reach. Pure; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "routes/route_row.h"

namespace patchbay::sip_trunk {

struct UnreachableRow {
  size_t row = 0;  // its index
  std::optional<size_t>
      before;  // the earlier row that takes all of its calls; nullopt: it contradicts itself
};

// Compares each row with single earlier ones; a row whose calls several earlier ones share is not found.
// Takes time in proportion to the number of rows.
std::vector<UnreachableRow> unreachable_rows(const RouteRows& rows);

}  // namespace patchbay::sip_trunk
