// What a delivery sends, and what proves where it comes from: body, signatures, ids. Pure functions; any
// thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace patchbay::webhooks {

// {"event","tenant","ts","data"}; `data` is JSON and goes in as it is. Made once per event: what is signed is
// what is stored and sent.
std::string envelope(std::string_view topic, std::string_view tenant, int64_t time_ms, std::string_view data);

// X-Platform-Signature and X-Platform-Signature-V2: "sha256=" and hex.
std::string signature(std::string_view secret, std::string_view body);
std::string signature_v2(std::string_view secret, std::string_view timestamp, std::string_view body);

// One id per event and subscription, the same on every attempt. `event` is the event's place in the log.
std::string delivery_id(std::string_view event, std::string_view subscription);

// The id of a configured subscription that names none.
std::string subscription_id(std::string_view tenant, std::string_view url);

}  // namespace patchbay::webhooks
