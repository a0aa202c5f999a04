// The value of a number whose grammar has been checked. RapidJSON 1.1.0 has undefined behaviour of its own
// here.
#pragma once

#include <string_view>

#include "json/builder.h"

namespace patchbay::core::json {

// Adds the number to `builder`: as an integer where it is written as one and fits, else as the nearest
// double; what is too small for one becomes 0. False when it is too large.
bool add_number(Builder& builder, std::string_view text);

}  // namespace patchbay::core::json
