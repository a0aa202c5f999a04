#include "services/service_instance.h"

#include <utility>

#include "runtime/thread_kind.h"
#include "services/interface_match.h"
#include "services/limits.h"
#include "services/service_call.h"

namespace patchbay::core {

Instance::Instance(Ref<Strand> strand, InstanceInit init)
    : Registration(std::move(strand)), init_(std::move(init)) {}

const pb_method* Instance::method(uint32_t slot) const noexcept {
  return slot < init_.interface->method_count ? init_.interface->methods[slot] : nullptr;
}

bool Instance::is_compatible_with(const pb_interface& caller) noexcept {
  if (compatible_with_.load(std::memory_order_relaxed) == &caller) return true;
  if (!same_messages(caller, *init_.interface)) return false;
  compatible_with_.store(&caller, std::memory_order_relaxed);
  return true;
}

int32_t Instance::run(uint32_t slot, const pb_message* request, pb_completion* completion,
                      pb_err* err) noexcept {
  const OwnerScope scope(init_.owner.c_str());
  const pb_str name = init_.interface->methods[slot]->name;
  const CallbackScope what("method", {name.data, static_cast<size_t>(name.len)});
  return init_.fn(init_.self, slot, request, completion, err);
}

Code Instance::add_call(ServiceCall& call, size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (withdrawn_) return Code::gone;
  const bool full = waiting_.size() >= kMaxWaitingCalls || waiting_bytes_ + bytes > kMaxWaitingCallBytes;
  if (full && !waiting_.empty()) return Code::exhausted;
  call.add_ref();
  waiting_.emplace(&call, bytes);
  waiting_bytes_ += bytes;
  return Code::ok;
}

size_t Instance::waiting() {
  const std::lock_guard lock(mutex_);
  return waiting_.size();
}

void Instance::remove_call(ServiceCall& call) {
  {
    const std::lock_guard lock(mutex_);
    const auto at = waiting_.find(&call);
    if (at == waiting_.end()) return;
    waiting_bytes_ -= at->second;
    waiting_.erase(at);
  }
  call.release();
}

void Instance::cancel_calls() {
  std::unordered_map<ServiceCall*, size_t> waiting;
  {
    const std::lock_guard lock(mutex_);
    withdrawn_ = true;
    waiting.swap(waiting_);
    waiting_bytes_ = 0;
  }
  for (const auto& [call, bytes] : waiting) {
    call->answer(PB_E_GONE, nullptr, nullptr);
    call->release();
  }
}

}  // namespace patchbay::core
