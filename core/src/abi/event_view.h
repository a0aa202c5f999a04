// Events of the core as pb_event; each view borrows from its event.
#pragma once

#include <patchbay/abi/bus.h>
#include <patchbay/str.h>

#include "bus/event.h"
#include "store/logged_event.h"

namespace patchbay::core {

inline pb_event event_view(const Event& event) noexcept {
  return {sizeof(pb_event),
          0,
          static_cast<int64_t>(event.id()),
          event.time_ms(),
          to_abi(event.topic()),
          to_abi(event.tenant()),
          to_abi(event.subject()),
          to_abi(event.correlation()),
          to_abi(event.payload()),
          event.tenant_seq()};
}

inline pb_event event_view(const LoggedEvent& event) noexcept {
  return {sizeof(pb_event),
          0,
          event.id,
          event.ts_ms,
          to_abi(event.topic),
          to_abi(event.tenant),
          to_abi(event.subject),
          to_abi(event.correlation),
          to_abi(event.payload),
          event.tenant_seq};
}

}  // namespace patchbay::core
