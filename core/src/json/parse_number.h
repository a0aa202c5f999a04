// Converts a number whose grammar has been checked. RapidJSON 1.1.0 is not used for this, because its
// conversion has undefined behaviour.
#pragma once

#include <string_view>

#include "json/builder.h"

namespace patchbay::core::json {

// Adds the number to `builder`: as an integer if it is written as one and fits, else as the nearest double. A
// number too small for a double becomes 0. Returns false if it is too large.
bool add_number(Builder& builder, std::string_view text);

}  // namespace patchbay::core::json
