#include <memory>
#include <utility>

#include "abi/host_context.h"
#include "abi/media_hub.h"
#include "abi/off_media.h"
#include "abi/port.h"
#include "abi/text.h"
#include "runtime/runtime.h"
#include "services/registry.h"

namespace patchbay::core {
namespace {

uint64_t attach(void* host, uint32_t loop, pb_tick_fn fn, void* user) noexcept {
  auto& context = HostContext::of(host);
  const uint64_t attachment = context.parts().media.attach(loop, fn, user);
  if (attachment != 0) context.handles().attachments.put(attachment, true);
  return attachment;
}

void detach(void* host, uint64_t attachment, pb_fn done, void* user) noexcept {
  auto& context = HostContext::of(host);
  if (!context.handles().attachments.take(attachment)) return context.closed_twice("detach", attachment);
  context.parts().media.detach(attachment, done, user);
}

uint64_t port_create(void* host, const pb_port* port, void* self) noexcept {
  auto& context = HostContext::of(host);
  if (port == nullptr) return 0;
  const uint64_t handle =
      context.parts().media.ports().add(make_ref<Port>(port, self, context.main_strand()));
  context.handles().ports.put(handle, true);
  return handle;
}

void port_close(void* host, uint64_t handle, pb_fn done, void* user) noexcept {
  auto& context = HostContext::of(host);
  if (!context.handles().ports.take(handle)) return context.closed_twice("port_close", handle);
  const Ref<Port> port = context.parts().media.ports().take(handle);
  if (!port) return;
  context.parts().services.ends().ended(handle);
  port->close(done, user);
}

uint64_t port_open(void* host, uint64_t handle, const pb_port** table, void** self) noexcept {
  auto& context = HostContext::of(host);
  MediaHub& hub = context.parts().media;
  Ref<Port> port = hub.ports().find(handle);
  if (!port || !port->join()) return 0;
  *table = port->table();
  *self = port->self();
  const uint64_t opening = hub.openings().add(std::move(port));
  context.handles().openings.put(opening, true);
  return opening;
}

void port_release(void* host, uint64_t opening) noexcept {
  auto& context = HostContext::of(host);
  if (!context.handles().openings.take(opening)) return context.closed_twice("port_release", opening);
  const Ref<Port> port = context.parts().media.openings().take(opening);
  if (port) port->leave();
}

}  // namespace

const pb_media& media_table(HostParts& parts) noexcept {
  static const pb_media table{sizeof(pb_media),          parts.media.loops(),
                              PB_OFF_MEDIA(attach),      &detach,
                              PB_OFF_MEDIA(port_create), PB_OFF_MEDIA(port_close),
                              PB_OFF_MEDIA(port_open),   PB_OFF_MEDIA(port_release)};
  return table;
}

}  // namespace patchbay::core
