#include "isolation/child_host_calls.h"

namespace patchbay::core::isolation {
namespace child_bus_slots {
namespace {

// The bus of this process has no listeners, but checks an event as the server's will.
int32_t publish(void* host, const pb_event* event) noexcept {
  if (const int32_t status = bus_table().publish(host, event); status != PB_OK) return status;
  return notify<&pb_bus::publish>(event) ? PB_OK : PB_E_EXHAUSTED;
}

constexpr pb_bus kTable = [] {
  pb_bus table{};
  table.size = sizeof table;
  table = crossing(table);
  table.publish = &publish;
  return table;
}();

}  // namespace
}  // namespace child_bus_slots

const pb_bus& child_bus() noexcept { return child_bus_slots::kTable; }

}  // namespace patchbay::core::isolation
