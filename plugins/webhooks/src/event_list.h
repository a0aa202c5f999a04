// The events of a subscription as one column: names separated by blanks.
#pragma once

#include <patchbay/json.h>

#include <string>
#include <string_view>
#include <vector>

namespace patchbay::webhooks {

// The members of a JSON array of strings.
std::vector<std::string> read_events(JsonView list);
std::string join_events(const std::vector<std::string>& events);
std::vector<std::string> split_events(std::string_view text);

}  // namespace patchbay::webhooks
