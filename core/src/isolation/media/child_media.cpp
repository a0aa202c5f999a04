#include <patchbay/audio.h>

#include "abi/media_registry.h"
#include "isolation/child_host.h"
#include "isolation/media/child_port.h"

namespace patchbay::core::isolation {
namespace {

uint64_t port_create(void*, const pb_port* port, void* self) noexcept {
  if (port == nullptr) return 0;
  auto ring = Ring::create();
  if (!ring) return 0;
  auto bell = Bell::create((*ring)->fd());
  if (!bell) return 0;
  ChildHost& host = ChildHost::get();
  Encoder out;
  out.u32(port->pull_rate_hz).u32(port->push_rate_hz).u32(push_flags_of(*port));
  out.u32(PB_HAS(port, stream_to) ? 1 : 0);
  HostContext& context = host.context();
  auto made =
      std::make_unique<ChildPort>(std::move(*ring), std::move(bell->first),
                                  make_ref<Port>(port, self, context.as_owner(), context.main_strand()));
  return host.add_port(std::move(made), out.frame(), bell->second.get());
}

void port_close(void*, uint64_t port, pb_fn done, void* user) noexcept {
  ChildHost::get().close_port(port, done, user);
}

// Its own ports only: table and `self` of another process cannot be handed out.
uint64_t port_open(void*, uint64_t port, const pb_port** table, void** self) noexcept {
  return ChildHost::get().open_port(port, table, self);
}
void port_release(void* raw, uint64_t opening) noexcept {
  HostContext& context = HostContext::of(raw);
  if (!context.services().media.release(&context, opening))
    context.report_unheld_handle("port_release", opening);
}

}  // namespace

const pb_media& child_media() noexcept {
  static const pb_media table = [] {
    pb_media made = core::media_table();
    made.port_create = &port_create;
    made.port_close = &port_close;
    made.port_open = &port_open;
    made.port_release = &port_release;
    return made;
  }();
  return table;
}

}  // namespace patchbay::core::isolation
