// The functions of the host that can fail, and with what. Those that cannot, by their headers, are not here.
#pragma once

#include <string_view>

#include "validate/host_layer.h"

namespace patchbay::app::validate::layer {

inline constexpr Slot kSlots[] = {
    {"runtime.worker_post", PB_E_EXHAUSTED},
    {"observe.metric", 0},
    {"observe.report", PB_E_UNSUPPORTED},
    {"json.parse", PB_E_INVALID},
    {"json.schema", PB_E_EXHAUSTED},
    {"json.schema_read", PB_E_INVALID},
    {"bus.publish", PB_E_EXHAUSTED},
    {"bus.subscribe", PB_E_EXHAUSTED},
    {"store.query", PB_E_UNAVAILABLE},
    {"store.begin", 0},
    {"store.exec", PB_E_GONE},
    {"store.emit", PB_E_GONE},
    {"store.job_add", PB_E_GONE},
    {"store.commit", PB_E_UNAVAILABLE},
    {"store.job_worker", 0},
    {"store.consumer", PB_E_UNSUPPORTED},
    {"store.pending", PB_E_UNAVAILABLE},
    {"store.seal", 0},
    {"store.unseal", 0},
    {"services.provide", PB_E_CONFLICT},
    {"services.query", 0},
    {"services.open", 0},
    {"services.call", PB_E_GONE},
    {"media.attach", 0},
    {"media.port_create", 0},
    {"media.port_open", 0},
};

// A compile error for a name that is not there.
constexpr int slot_index(std::string_view name) {
  int index = 0;
  for (const Slot& slot : kSlots) {
    if (name == slot.name) return index;
    ++index;
  }
  throw "no such slot";
}

}  // namespace patchbay::app::validate::layer
