// ServiceCall: one call in progress. Carries the request to the provider's strand and the answer to the
// caller's.
#pragma once

#include <patchbay/abi/services.h>

#include <atomic>
#include <string>

#include "runtime/ref.h"
#include "runtime/strand.h"
#include "services/message_copy.h"
#include "services/service_instance.h"

namespace patchbay::core {

class ServiceCall;

// Observes the calls of a plugin from their start until the answer was delivered, so that the host knows what
// the plugin still waits for.
class CallObserver {
 public:
  virtual void call_began(ServiceCall& call) noexcept = 0;
  virtual void call_ended(ServiceCall& call) noexcept = 0;

 protected:
  ~CallObserver() = default;
};

struct Caller {
  Ref<Strand> strand;
  Ref<Strand> fallback;      // used if `strand` was closed meanwhile
  pb_reply_fn fn = nullptr;  // nullptr: the caller wants no answer
  void* user = nullptr;
  CallObserver* observer = nullptr;  // borrowed; may be null
  uint64_t plugin = 0;               // identifies the calling plugin: its HostContext::life()
};

// [in a method] Caller::plugin of the call that is running; 0 outside of a method.
uint64_t calling_plugin() noexcept;

class ServiceCall : public RefCounted<ServiceCall> {
 public:
  // [any] Starts the call. It frees itself once answered.
  static void start(Ref<Instance> instance, const pb_interface* caller_table, uint32_t slot,
                    const pb_message* request, Caller caller);
  // [any] Answers a call without a provider: `fn` gets the status on its strand.
  static void refuse(Caller caller, int32_t status, const char* text);

  // [any] Sends the answer. Later calls are no-ops.
  void answer(int32_t status, const pb_message* reply, const pb_err* err);

 private:
  friend class RefCounted<ServiceCall>;
  // The provider's handle to the call. Owns a reference, which complete() releases.
  struct Completion : pb_completion {
    ServiceCall* call = nullptr;
  };

  ServiceCall(Ref<Instance> instance, uint32_t slot, Caller caller);
  ~ServiceCall() = default;

  static void complete(pb_completion* self, int32_t status, const pb_message* reply,
                       const pb_err* err) noexcept;
  void run() noexcept;
  void provide(const pb_message* request) noexcept;
  void deliver() noexcept;

  // owned
  Ref<Instance> instance_;
  Caller caller_;
  MessageCopy request_;
  MessageCopy reply_;
  Completion completion_;
  // state
  const uint32_t slot_;
  std::string_view called_;  // the method's name, for the crash banner
  std::atomic<bool> answered_{false};
  int32_t status_ = PB_OK;
  std::string error_text_;
};

}  // namespace patchbay::core
