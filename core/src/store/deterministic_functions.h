// The SQL functions whose result depends only on their arguments. Pure, any thread.
#pragma once

#include <string_view>

namespace patchbay::core {

// `function` is the name as SQLite's authorizer reports it. False for functions of the clock, of chance and
// of the connection, for dates, because 'now' may be among their arguments, and for unknown functions.
bool is_deterministic(std::string_view function);

}  // namespace patchbay::core
