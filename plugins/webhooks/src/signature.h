// The body, signatures and ids of deliveries. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace patchbay::webhooks {

// The body {"event","tenant","ts","data"}; `data` is JSON and inserted unchanged. Made once per event, so
// that the stored, signed and sent bytes are the same.
std::string envelope(std::string_view topic, std::string_view tenant, int64_t time_ms, std::string_view data);

// X-Platform-Signature and X-Platform-Signature-V2: "sha256=" and hex.
std::string signature(std::string_view secret, std::string_view body);
std::string signature_v2(std::string_view secret, std::string_view timestamp, std::string_view body);

// The id of the delivery of an event to a subscription. `event` is the event's position in the log.
std::string delivery_id(std::string_view event, std::string_view subscription);

// The id of a configured subscription without an `id`.
std::string subscription_id(std::string_view tenant, std::string_view url);

}  // namespace patchbay::webhooks
