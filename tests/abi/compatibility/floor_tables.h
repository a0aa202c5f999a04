// Runs a plugin on tables that end at their floors, as those of the oldest core: the memory behind is
// unreadable, and a query for more bytes fails.
#pragma once

#include <patchbay/abi/plugin.h>

namespace patchbay::test {

// Returns an entry for the same plugin. One run at a time.
const pb_entry* with_floor_tables(const pb_entry& plugin);

}  // namespace patchbay::test
