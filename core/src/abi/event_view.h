// Events of the core as pb_event; each view borrows from its event.
#pragma once

#include <patchbay/abi/bus.h>

#include "abi/text.h"
#include "bus/event.h"
#include "store/event.h"

namespace patchbay::core {

inline pb_event event_view(const Event& event) noexcept {
  return {sizeof(pb_event),
          0,
          static_cast<int64_t>(event.id()),
          event.time_ms(),
          text(event.topic()),
          text(event.tenant()),
          text(event.subject()),
          text(event.correlation()),
          text(event.payload())};
}

inline pb_event event_view(const LoggedEvent& event) noexcept {
  return {sizeof(pb_event),
          0,
          event.id,
          event.ts_ms,
          text(event.topic),
          text(event.tenant),
          text(event.subject),
          text(event.correlation),
          text(event.payload)};
}

}  // namespace patchbay::core
