// Interfaces in frames: ids, methods, and the field tables by which their messages are copied.
#pragma once

#include <patchbay/abi/services.h>
#include <patchbay/str.h>

#include "isolation/wire.h"

namespace patchbay::core::isolation {

void put_interface(Encoder& out, const pb_interface& interface);

// The table that arrived; it looks to the core like one that a plugin's compiler has made. Kept for the life
// of the process, one per content: the core may hold a message by it after its instance was withdrawn. NULL
// when it makes no sense, or when more than 4096 different ones have come.
const pb_interface* get_interface(Decoder& in);

}  // namespace patchbay::core::isolation
