#include "abi/consumer.h"

#include <algorithm>
#include <utility>

#include "store/event.h"

namespace patchbay::core {

HeldConsumer::HeldConsumer(Ref<Strand> strand, std::string name, std::vector<std::string> patterns, CallFn fn,
                           void* user)
    : Registration(std::move(strand)),
      name_(std::move(name)),
      patterns_(std::move(patterns)),
      fn_(fn),
      user_(user) {}

bool HeldConsumer::wants(std::string_view topic) const {
  return std::any_of(patterns_.begin(), patterns_.end(),
                     [&](const std::string& pattern) { return topic_matches(pattern, topic); });
}

void HeldConsumer::wake() {
  if (queued_.exchange(true, std::memory_order_acq_rel)) return;
  const Ref<HeldConsumer> self(this);
  strand().post([self] {
    self->queued_.store(false, std::memory_order_release);
    if (self->open()) self->fn_(self->user_);
  });
}

}  // namespace patchbay::core
