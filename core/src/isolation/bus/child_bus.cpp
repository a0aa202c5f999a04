#include "isolation/child_relay.h"

namespace patchbay::core::isolation {
namespace {

// The bus of this process has no listeners, but judges an event as the server's will.
int32_t publish(void* host, const pb_event* event) noexcept {
  if (const int32_t status = bus_table().publish(host, event); status != PB_OK) return status;
  Encoder out(Kind::event);
  out.u64(0);
  put_event(out, *event);
  return ChildHost::get().send(out) ? PB_OK : PB_E_EXHAUSTED;
}

uint64_t subscribe(void*, const pb_subscription* what, pb_event_fn fn, void* user, pb_err* err) noexcept {
  ChildHost& host = ChildHost::get();
  auto strand = host.context().strand(what->strand);
  if (!strand) {
    write_error(err, Code::misuse, "no such strand");
    return 0;
  }
  const uint64_t tag = host.next_tag();
  Encoder out(Kind::subscribe);
  out.u64(tag)
      .str(from_abi(what->pattern))
      .str(from_abi(what->tenant))
      .u32(what->queue_max)
      .u32(what->policy);
  return host.listen(relay(std::move(strand), "event", fn, user), tag, Kind::subscribe, body(out), err);
}

void unsubscribe(void*, uint64_t subscription, pb_fn done, void* user) noexcept {
  ChildHost::get().unlisten(subscription, done, user);
}

constexpr pb_bus kTable{sizeof(pb_bus), 0, &publish, &subscribe, &unsubscribe};

}  // namespace

const pb_bus& child_bus() noexcept { return kTable; }

}  // namespace patchbay::core::isolation
