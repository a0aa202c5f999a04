// A plugin on a core as old as the record: it is served tables that end at their floors. What lies behind
// cannot be read, and nobody gets more bytes than that by asking.
#pragma once

#include <patchbay/abi/plugin.h>

namespace patchbay::test {

// The same plugin, for one run at a time.
const pb_entry* on_oldest_tables(const pb_entry& plugin);

}  // namespace patchbay::test
