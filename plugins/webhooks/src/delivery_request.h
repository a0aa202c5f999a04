// The request that delivers an event: its body, its headers and the id of the delivery. Pure functions; any
// thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay::webhooks {

// A pending delivery, as read from the store.
struct Delivery {
  std::string id, topic, subject;
  std::string event;  // the key of its body
  std::string body;   // read by itself, right before an attempt
  int64_t seq = 0, secret_rev = 0, due_ms = 0;
  int64_t attempt = 0;  // attempts made
  // Whether earlier deliveries of the same subject have to be sent first.
  bool in_order() const { return attempt == 0 && !subject.empty(); }
};

// The body {"event","tenant","ts","data"}; `data` must be a JSON object or "", and is inserted unchanged.
// Made once per event, so that the stored, signed and sent bytes are the same.
std::string envelope(std::string_view topic, std::string_view tenant, int64_t time_ms, std::string_view data);

// The headers of the next attempt, each "Name: value", signed with `secret`.
std::vector<std::string> delivery_headers(const Delivery& delivery, std::string_view secret, int64_t now_ms);

// The id of the delivery of an event to a subscription. `event` is the event's position in the log.
std::string delivery_id(std::string_view event, std::string_view subscription);

}  // namespace patchbay::webhooks
