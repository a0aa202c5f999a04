// An event about a call, of either direction.
#pragma once

#include <patchbay/event.h>
#include <patchbay/json.h>

#include <string>
#include <utility>

namespace patchbay::ai_voice {

// `AnyCall` has a tenant and a call_id, by which the event is found and correlated.
template <class AnyCall>
NewEvent event_of(const AnyCall& call, std::string topic, JsonWriter data) {
  return {std::move(topic), call.tenant, call.call_id, call.call_id, std::move(data).str()};
}

}  // namespace patchbay::ai_voice
