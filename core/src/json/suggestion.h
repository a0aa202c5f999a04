// "Did you mean": the candidate a mistyped name most likely stood for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace patchbay::core::json {

// "" when none is near: at most a third of the longer name may differ, letter case aside.
std::string suggest(std::string_view name, const std::vector<std::string_view>& candidates);

}  // namespace patchbay::core::json
