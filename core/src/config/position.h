// Finds the place in the file that an error of a plugin is about. Pure; any thread.
#pragma once

#include <string_view>

#include "config/yaml_value.h"

namespace patchbay::core::config {

// Returns the position of the deepest key or list item of the path that `error` begins with, as in
// "tenants.a.example.identity.clients[1].id: must ...". Line 0: it begins with none.
Mark position_of(const Value& root, std::string_view error);

}  // namespace patchbay::core::config
