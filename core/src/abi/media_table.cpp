#include <patchbay/str.h>

#include <memory>
#include <utility>

#include "abi/guarded_table.h"
#include "abi/host_context.h"
#include "abi/media_registry.h"
#include "abi/port.h"
#include "runtime/runtime.h"
#include "services/service_registry.h"

namespace patchbay::core {
namespace media_slots {
namespace {

uint64_t attach(void* host, uint32_t loop, pb_tick_fn fn, void* user) noexcept {
  auto& context = HostContext::of(host);
  context.use_loops();
  return context.services().media.attach(context.as_owner(), loop, fn, user);
}

void detach(void* host, uint64_t attachment, pb_fn done, void* user) noexcept {
  auto& context = HostContext::of(host);
  if (!context.services().media.detach(&context, attachment, done, user))
    context.report_unheld_handle("detach", attachment);
}

uint64_t port_create(void* host, const pb_port* port, void* self) noexcept {
  auto& context = HostContext::of(host);
  context.use_loops();
  if (port == nullptr) return 0;
  const uint64_t handle = context.services().media.add_port(
      make_ref<Port>(port, self, context.as_owner(), context.main_strand()));
  if (HostObserver* observer = context.observer(); observer != nullptr && handle != 0)
    observer->port_created(context, handle, *port);
  return handle;
}

void port_close(void* host, uint64_t handle, pb_fn done, void* user) noexcept {
  auto& context = HostContext::of(host);
  const Ref<Port> port = context.services().media.take_port(&context, handle);
  if (!port) return context.report_unheld_handle("port_close", handle);
  context.services().registry.end_watches().ended(handle);
  port->close(done, user);
}

uint64_t port_open(void* host, uint64_t handle, const pb_port** table, void** self) noexcept {
  auto& context = HostContext::of(host);
  context.use_loops();
  MediaRegistry& hub = context.services().media;
  const Ref<Port> port = hub.port(handle);
  if (!port) return 0;
  const uint64_t opening = hub.open(&context, port);
  if (opening == 0) return 0;
  *table = port->table();
  *self = port->self();
  return opening;
}

void port_release(void* host, uint64_t opening) noexcept {
  auto& context = HostContext::of(host);
  if (!context.services().media.release(&context, opening))
    context.report_unheld_handle("port_release", opening);
}

int32_t loop_post(void* host, uint32_t loop, pb_fn fn, void* user) noexcept {
  auto& context = HostContext::of(host);
  return static_cast<int32_t>(context.services().media.post(context.loop_posts(), loop, fn, user));
}

uint64_t watch_open(void* host, int32_t fd, pb_ready_fn fn, void* user) noexcept {
  auto& context = HostContext::of(host);
  context.use_loops();
  return context.services().media.open_watch(context.as_owner(), fd, fn, user);
}

int32_t watch_set(void* host, uint64_t watch, uint32_t events) noexcept {
  auto& context = HostContext::of(host);
  return static_cast<int32_t>(context.services().media.set_watch(&context, watch, events));
}

void watch_close(void* host, uint64_t watch, pb_fn done, void* user) noexcept {
  auto& context = HostContext::of(host);
  if (!context.services().media.close_watch(&context, watch, done, user))
    context.report_unheld_handle("watch_close", watch);
}

uint64_t loop_timer_open(void* host, pb_tick_fn fn, void* user) noexcept {
  auto& context = HostContext::of(host);
  context.use_loops();
  return context.services().media.open_timer(context.as_owner(), fn, user);
}

int32_t loop_timer_set(void* host, uint64_t timer, int64_t due_ns) noexcept {
  auto& context = HostContext::of(host);
  return static_cast<int32_t>(context.services().media.set_timer(&context, timer, due_ns));
}

void loop_timer_close(void* host, uint64_t timer, pb_fn done, void* user) noexcept {
  auto& context = HostContext::of(host);
  if (!context.services().media.close_timer(&context, timer, done, user))
    context.report_unheld_handle("loop_timer_close", timer);
}

// HostContext sets `loops` in the copy that the plugin gets.
constexpr pb_media kFunctions{
    sizeof(pb_media), 0,          &attach,     &detach,    &port_create, &port_close,      &port_open,
    &port_release,    &loop_post, &watch_open, &watch_set, &watch_close, &loop_timer_open, &loop_timer_set,
    &loop_timer_close};
constexpr pb_media kTable = guarded<kFunctions>();

}  // namespace
}  // namespace media_slots

const pb_media& media_table() noexcept { return media_slots::kTable; }

}  // namespace patchbay::core
