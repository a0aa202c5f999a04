#include "watched_media.h"

#include "watched_table.h"

namespace patchbay::fake {
namespace {

World& world_of(void* host) noexcept { return World::of(core::HostContext::of(host)); }

const pb_media& core_table(void* host) noexcept {
  return core::media_table(core::HostContext::of(host).parts());
}

uint64_t attach(void* host, uint32_t loop, pb_tick_fn fn, void* user) noexcept {
  WatchedHost* watcher = watched(host);
  watcher->off_media("attach");
  HandMedia* by_hand = world_of(host).hand_media();
  const uint64_t handle =
      by_hand != nullptr ? by_hand->attach(loop, fn, user) : core_table(host).attach(host, loop, fn, user);
  watcher->opened(Held::attachment, handle);
  return handle;
}

void detach(void* host, uint64_t attachment, pb_fn done, void* user) noexcept {
  watched(host)->closed(Held::attachment, attachment, "detach");
  HandMedia* by_hand = world_of(host).hand_media();
  if (by_hand != nullptr) return by_hand->detach(attachment, done, user);
  core_table(host).detach(host, attachment, done, user);
}

uint64_t port_create(void* host, const pb_port* port, void* self) noexcept {
  WatchedHost* watcher = watched(host);
  watcher->off_media("port_create");
  const uint64_t handle = core_table(host).port_create(host, port, self);
  watcher->opened(Held::port, handle);
  if (handle != 0)
    watcher->world().seen().ports.add({watcher->id(), handle, port->pull_rate_hz, port->push_rate_hz});
  return handle;
}

void port_close(void* host, uint64_t port, pb_fn done, void* user) noexcept {
  watched(host)->off_media("port_close");
  watched(host)->closed(Held::port, port, "port_close");
  core_table(host).port_close(host, port, done, user);
}

uint64_t port_open(void* host, uint64_t port, const pb_port** table, void** self) noexcept {
  WatchedHost* watcher = watched(host);
  watcher->off_media("port_open");
  const uint64_t opening = core_table(host).port_open(host, port, table, self);
  watcher->opened(Held::opening, opening);
  return opening;
}

void port_release(void* host, uint64_t opening) noexcept {
  watched(host)->closed(Held::opening, opening, "port_release");
  core_table(host).port_release(host, opening);
}

// One loop in each world, whether it is driven by hand or not.
constexpr pb_media kMedia{sizeof(pb_media), 1,           &attach,    &detach,
                          &port_create,     &port_close, &port_open, &port_release};

}  // namespace

const pb_media& watched_media() noexcept { return kMedia; }

}  // namespace patchbay::fake
