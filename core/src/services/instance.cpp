#include "services/instance.h"

#include <utility>

#include "runtime/thread_kind.h"
#include "services/interface_match.h"
#include "services/service_call.h"

namespace patchbay::core {

Instance::Instance(Ref<Strand> strand, InstanceInit init)
    : Registration(std::move(strand)), init_(std::move(init)) {}

const pb_method* Instance::method(uint32_t slot) const noexcept {
  return slot < init_.interface->method_count ? init_.interface->methods[slot] : nullptr;
}

bool Instance::agrees_with(const pb_interface& caller) noexcept {
  if (agreed_.load(std::memory_order_relaxed) == &caller) return true;
  if (!same_messages(caller, *init_.interface)) return false;
  agreed_.store(&caller, std::memory_order_relaxed);
  return true;
}

int32_t Instance::run(uint32_t slot, const pb_message* request, pb_completion* completion,
                      pb_err* err) noexcept {
  const OwnerScope scope(init_.owner.c_str());
  return init_.fn(init_.self, slot, request, completion, err);
}

bool Instance::add_call(ServiceCall& call) {
  const std::lock_guard lock(mutex_);
  if (withdrawn_) return false;
  call.add_ref();
  waiting_.insert(&call);
  return true;
}

void Instance::remove_call(ServiceCall& call) {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.erase(&call) == 0) return;
  }
  call.release();
}

void Instance::abandon_calls() {
  std::unordered_set<ServiceCall*> waiting;
  {
    const std::lock_guard lock(mutex_);
    withdrawn_ = true;
    waiting.swap(waiting_);
  }
  for (ServiceCall* call : waiting) {
    call->answer(PB_E_GONE, nullptr, nullptr);
    call->release();
  }
}

}  // namespace patchbay::core
