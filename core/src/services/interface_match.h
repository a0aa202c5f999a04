// Compares two tables of one interface.
#pragma once

#include <patchbay/abi/services.h>

namespace patchbay::core {

// Whether the tables describe the same messages. Ignores methods and fields that only one of them has,
// because an interface grows at its end.
bool same_messages(const pb_interface& a, const pb_interface& b) noexcept;

}  // namespace patchbay::core
