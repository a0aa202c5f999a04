#include <memory>
#include <utility>

#include "abi/host_context.h"
#include "abi/media_hub.h"
#include "abi/port.h"
#include "abi/text.h"
#include "runtime/runtime.h"

namespace patchbay::core {
namespace {

uint64_t attach(void* host, uint32_t loop, pb_tick_fn fn, void* user) noexcept {
  return HostContext::of(host).parts().media.attach(loop, fn, user);
}

void detach(void* host, uint64_t attachment, pb_fn done, void* user) noexcept {
  HostContext::of(host).parts().media.detach(attachment, done, user);
}

uint64_t port_create(void* host, const pb_port* port, void* self) noexcept {
  auto& context = HostContext::of(host);
  if (port == nullptr) return 0;
  return context.parts().media.ports().add(make_ref<Port>(port, self, context.main_strand()));
}

void port_close(void* host, uint64_t handle, pb_fn done, void* user) noexcept {
  const Ref<Port> port = HostContext::of(host).parts().media.ports().take(handle);
  if (port) port->close(done, user);
}

uint64_t port_open(void* host, uint64_t handle, const pb_port** table, void** self) noexcept {
  MediaHub& hub = HostContext::of(host).parts().media;
  Ref<Port> port = hub.ports().find(handle);
  if (!port || !port->join()) return 0;
  *table = port->table();
  *self = port->self();
  return hub.openings().add(std::move(port));
}

void port_release(void* host, uint64_t opening) noexcept {
  const Ref<Port> port = HostContext::of(host).parts().media.openings().take(opening);
  if (port) port->leave();
}

}  // namespace

const pb_media& media_table(HostParts& parts) noexcept {
  static const pb_media table{sizeof(pb_media), parts.media.loops(), &attach,    &detach,
                              &port_create,     &port_close,         &port_open, &port_release};
  return table;
}

}  // namespace patchbay::core
