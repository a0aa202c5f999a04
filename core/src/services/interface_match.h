// Whether two tables of one interface describe the same messages, as far as both go.
#pragma once

#include <patchbay/abi/services.h>

namespace patchbay::core {

// Methods and fields that only one has do not count: an interface grows at its end.
bool same_messages(const pb_interface& a, const pb_interface& b) noexcept;

}  // namespace patchbay::core
