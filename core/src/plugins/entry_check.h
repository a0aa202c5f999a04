// Checks what a plugin's code hands to the host: its entry (the symbol patchbay_plugin_v1) and the table of
// functions that create() returns. Errors are one sentence with the fix.
#pragma once

#include <patchbay/abi/plugin.h>

#include "patchbay/result.h"

namespace patchbay::core {

// Refuses another ABI version, an impossible size and a missing create().
Status check_entry(const pb_entry& entry);
// Refuses a table that lacks a function; `table` may be null.
Status check_plugin_table(const pb_plugin* table);

}  // namespace patchbay::core
