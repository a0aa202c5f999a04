// ServiceCall: one call on its way: request to the provider's strand, answer to the caller's.
#pragma once

#include <patchbay/abi/services.h>

#include <atomic>
#include <string>

#include "runtime/ref.h"
#include "runtime/strand.h"
#include "services/instance.h"
#include "services/message_copy.h"

namespace patchbay::core {

class ServiceCall;

// Told of a caller's calls from their start until the answer was given; knows what a plugin still waits for.
class CallObserver {
 public:
  virtual void call_began(ServiceCall& call) noexcept = 0;
  virtual void call_ended(ServiceCall& call) noexcept = 0;

 protected:
  ~CallObserver() = default;
};

struct Caller {
  Ref<Strand> strand;
  Ref<Strand> fallback;      // when `strand` was closed meanwhile
  pb_reply_fn fn = nullptr;  // nullptr: no answer wanted
  void* user = nullptr;
  CallObserver* observer = nullptr;  // borrowed; may be null
  uint64_t plugin = 0;               // stands for the plugin that calls, as HostContext::life()
};

// [in a method] Of the plugin that called it; 0 outside of one.
uint64_t calling_plugin() noexcept;

class ServiceCall : public RefCounted<ServiceCall> {
 public:
  // [any] Starts the call; it ends by itself.
  static void start(Ref<Instance> instance, const pb_interface* caller_table, uint32_t slot,
                    const pb_message* request, Caller caller);
  // [any] Ends a call that never began: `fn` gets the status on its strand.
  static void refuse(Caller caller, int32_t status, const char* text);

  // [any] Gives the answer; only the first counts.
  void answer(int32_t status, const pb_message* reply, const pb_err* err);

 private:
  friend class RefCounted<ServiceCall>;
  // What the provider holds. The reference it stands for is given back by complete().
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
