#include "abi/durable_consumer.h"

#include <algorithm>
#include <utility>

#include "abi/store_registry.h"
#include "bus/topic_name.h"
#include "observe/log.h"
#include "runtime/runtime.h"
#include "runtime/thread_kind.h"

namespace patchbay::core {

DurableConsumer::DurableConsumer(HostServices& services, Ref<Strand> strand, std::string name,
                                 std::vector<std::string> patterns, CallFn fn, void* user)
    : Registration(std::move(strand)),
      services_(services),
      name_(std::move(name)),
      patterns_(std::move(patterns)),
      fn_(fn),
      user_(user),
      again_(services.runtime.timers(), *this,
             [](void* self) { static_cast<DurableConsumer*>(self)->enroll(); }) {}

bool DurableConsumer::wants(std::string_view topic) const {
  return std::any_of(patterns_.begin(), patterns_.end(),
                     [&](const std::string& pattern) { return matches(pattern, topic); });
}

void DurableConsumer::enroll() {
  if (!open()) return;
  const Ref<DurableConsumer> self(this);
  services_.store.store().register_consumer(name_, patterns_,
                                            [self](const Status& status) { self->enrolled(status); });
}

// [a thread of the store, or the caller's]
void DurableConsumer::enrolled(const Status& status) {
  if (status) return wake();
  if (status.error().code == Code::gone) return;  // the store closes
  warn(status.error());
  const Ref<DurableConsumer> self(this);
  strand().post([self] {
    if (!self->open()) return;
    self->again_.set(TimerClock::mono,
                     self->services_.runtime.mono_clock().now_ns() + self->retry_ms_ * 1'000'000);
    self->retry_ms_ = std::min(self->retry_ms_ * 2, kMaxStoreRetryMs);
  });
}

void DurableConsumer::warn(const Error& error) const {
  const observe::Field fields[] = {{"consumer", name_}, {"why", error.text}};
  observe::Event event;
  event.level = observe::Level::warn;
  event.component = strand().owner();
  event.text = "a durable consumer could not be registered; it loses events until it is";
  event.fields = fields;
  event.count = std::size(fields);
  services_.log.write(event);
}

void DurableConsumer::wake() {
  if (queued_.exchange(true, std::memory_order_acq_rel)) return;
  const Ref<DurableConsumer> self(this);
  strand().post([self] {
    self->queued_.store(false, std::memory_order_release);
    if (!self->open()) return;
    const CallbackScope what("consumer", self->name_);
    self->fn_(self->user_);
  });
}

void DurableConsumer::cancel_timer() {
  const Ref<DurableConsumer> self(this);
  strand().post([self] { self->again_.cancel(); });
}

}  // namespace patchbay::core
