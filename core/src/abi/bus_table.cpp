#include <memory>
#include <utility>

#include "abi/boundary_copies.h"
#include "abi/event_view.h"
#include "abi/guarded_table.h"
#include "abi/host_context.h"
#include "bus/bus.h"
#include "runtime/thread_kind.h"

namespace patchbay::core {
namespace bus_slots {
namespace {

// A plugin's subscription; freed once it has ended and `done` was called.
struct Listener {
  pb_event_fn fn;
  void* user;
  pb_fn done = nullptr;
  void* done_user = nullptr;

  static void deliver(void* self, const Event& event) {
    const auto* listener = static_cast<const Listener*>(self);
    const pb_event raw = event_view(event);
    const CallbackScope what("event", event.topic());
    listener->fn(listener->user, &raw);
  }
  static void ended(void* self) {
    const std::unique_ptr<Listener> listener(static_cast<Listener*>(self));
    if (listener->done != nullptr) listener->done(listener->done_user);
  }
};

int32_t publish(void* host, const pb_event* event) noexcept {
  const EventData data{from_abi(event->topic),
                       from_abi(event->tenant),
                       from_abi(event->subject),
                       from_abi(event->correlation),
                       from_abi(event->payload),
                       0,
                       0};
  auto& context = HostContext::of(host);
  context.published();
  Status status = context.check_topic(data.topic);
  if (status) status = context.services().bus.publish(data);
  if (HostObserver* observer = context.observer(); observer != nullptr && status)
    observer->published(context, *event);
  return status ? PB_OK : static_cast<int32_t>(status.error().code);
}

uint64_t subscribe(void* host, const pb_subscription* what, pb_event_fn fn, void* user,
                   pb_err* err) noexcept {
  auto& context = HostContext::of(host);
  const Ref<Strand> strand = context.strand(what->strand);
  if (!strand) {
    write_error(err, Code::gone, "the strand is closed");
    return 0;
  }
  SubscribeOptions options{copied(what->pattern), copied(what->tenant)};
  if (what->queue_max > 0) options.queue_max = what->queue_max;
  if (what->policy == PB_BUS_DROP_NEWEST) options.policy = DropPolicy::newest;
  auto listener = std::make_unique<Listener>(Listener{fn, user});
  auto id = context.services().bus.subscribe(std::move(options), *strand, &Listener::deliver, listener.get());
  if (!id) {
    write_error(err, id.error().code, id.error().text);
    return 0;
  }
  const uint64_t handle = next_handle();
  context.handles().subscriptions.put(handle, HeldSubscription{*id, listener.release()});
  return handle;
}

void unsubscribe(void* host, uint64_t handle, pb_fn done, void* user) noexcept {
  auto& context = HostContext::of(host);
  const HeldSubscription held = context.handles().subscriptions.take(handle);
  if (!held) return context.report_unheld_handle("unsubscribe", handle);
  auto* listener = static_cast<Listener*>(held.listener);
  listener->done = done;
  listener->done_user = user;
  static_cast<void>(context.services().bus.unsubscribe(held.id, &Listener::ended, listener));
}

constexpr pb_bus kFunctions{sizeof(pb_bus), 0, &publish, &subscribe, &unsubscribe};
constexpr pb_bus kTable = guarded<kFunctions>();

}  // namespace
}  // namespace bus_slots

const pb_bus& bus_table() noexcept { return bus_slots::kTable; }

}  // namespace patchbay::core
