// A plugin that does a little of everything, well or badly as its configuration says.
#pragma once

#include <patchbay/abi/plugin.h>

namespace patchbay::workshop {

extern const pb_entry entry;

}  // namespace patchbay::workshop
