// Suggests a correction for a mistyped name ("did you mean ...?").
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace patchbay::core::json {

// Returns the candidate closest to `name`, or "" if none is close: at most a third of the longer name may
// differ. Ignores letter case.
std::string suggest(std::string_view name, const std::vector<std::string_view>& candidates);

}  // namespace patchbay::core::json
