// Instance: one implementation of an interface, on one strand, and the calls it has not answered yet.
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
  std::string owner;  // plugin
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
  // nullptr: the provider is older and has no such slot.
  const pb_method* method(uint32_t slot) const noexcept;
  // [any] A caller's table describes the messages as the provider's does: else one would read as text what
  // the other wrote as a number.
  bool is_compatible_with(const pb_interface& caller) noexcept;
  // [its strand, or any for PB_METHOD_ANY] Runs the provider's function.
  int32_t run(uint32_t slot, const pb_message* request, pb_completion* completion, pb_err* err) noexcept;

  // Calls that may wait at once, and the bytes of their requests together; a single request may be larger.
  // More than one plugin in a process of its own may have under way.
  static constexpr size_t kMaxCalls = 65536;
  static constexpr size_t kMaxBytes = size_t{128} << 20;

  // [any] A call that waits for its answer. Code::gone: withdrawn; Code::exhausted: too much waits.
  Code add_call(ServiceCall& call, size_t bytes);
  void remove_call(ServiceCall& call);
  // [any] Answers all that waits with PB_E_GONE, and refuses more.
  void cancel_calls();
  // [any] Calls that have no answer yet.
  size_t waiting();

 private:
  const InstanceInit init_;
  std::atomic<const pb_interface*> compatible_with_{
      nullptr};  // the table that was compared last; tables live for ever
  std::mutex mutex_;
  bool withdrawn_ = false;
  // By their requests' bytes; each holds its own reference while it is here.
  std::unordered_map<ServiceCall*, size_t> waiting_;
  size_t waiting_bytes_ = 0;
};

}  // namespace patchbay::core
