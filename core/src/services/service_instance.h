// Instance: one implementation of an interface, on one strand, and the calls that it has not answered yet.
#pragma once

#include <patchbay/abi/services.h>

#include <atomic>
#include <mutex>
#include <string>
#include <unordered_map>

#include "patchbay/result.h"
#include "runtime/registration.h"

namespace patchbay::core {

class ServiceCall;

struct InstanceInit {
  std::string owner;  // the plugin that provides it
  const pb_interface* interface = nullptr;
  bool is_public = false;
  pb_method_fn fn = nullptr;
  void* self = nullptr;
};

class Instance final : public Registration {
 public:
  Instance(Ref<Strand> strand, InstanceInit init);

  const std::string& owner() const noexcept { return init_.owner; }
  std::string_view interface_id() const noexcept {
    return {init_.interface->id.data, static_cast<size_t>(init_.interface->id.len)};
  }
  bool is_public() const noexcept { return init_.is_public; }
  // nullptr if the slot is newer than the provider.
  const pb_method* method(uint32_t slot) const noexcept;
  // [any] Whether the caller's table describes the messages as the provider's does. Otherwise one side would
  // read as text what the other wrote as a number.
  bool is_compatible_with(const pb_interface& caller) noexcept;
  // [its strand, or any for PB_METHOD_ANY] Runs the provider's function.
  int32_t run(uint32_t slot, const pb_message* request, pb_completion* completion, pb_err* err) noexcept;

  // [any] Adds a call that waits for its answer. Code::gone: the instance was withdrawn; Code::exhausted: a
  // limit is reached.
  Code add_call(ServiceCall& call, size_t bytes);
  void remove_call(ServiceCall& call);
  // [any] Answers all waiting calls with PB_E_GONE and refuses new ones.
  void cancel_calls();
  // [any] The number of calls without an answer.
  size_t waiting();

 private:
  const InstanceInit init_;
  // The table that was compared last; tables are never unloaded.
  std::atomic<const pb_interface*> compatible_with_{nullptr};
  std::mutex mutex_;
  bool withdrawn_ = false;
  // Each call that waits, with the bytes of its request. The map holds a reference to each.
  std::unordered_map<ServiceCall*, size_t> waiting_;
  size_t waiting_bytes_ = 0;
};

}  // namespace patchbay::core
