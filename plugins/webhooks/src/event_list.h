// The events of a subscription as one column: names separated by blanks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace patchbay::webhooks {

std::string join_events(const std::vector<std::string>& events);
std::vector<std::string> split_events(std::string_view text);

}  // namespace patchbay::webhooks
