// The body of a delivery.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace patchbay::webhooks {

// {"event","tenant","ts","data"}; `data` is JSON and goes in as it is. Made once per event: what is signed is
// what is stored and sent.
std::string envelope(std::string_view topic, std::string_view tenant, int64_t time_ms, std::string_view data);

}  // namespace patchbay::webhooks
