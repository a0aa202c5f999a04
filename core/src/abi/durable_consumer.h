// DurableConsumer: a plugin's durable consumer, woken when the log has something new for it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "abi/host_services.h"
#include "abi/limits.h"
#include "patchbay/result.h"
#include "runtime/registration.h"
#include "runtime/registration_timer.h"

namespace patchbay::core {

class DurableConsumer final : public Registration {
 public:
  DurableConsumer(HostServices& services, Ref<Strand> strand, std::string name,
                  std::vector<std::string> patterns, CallFn fn, void* user);

  const std::string& name() const noexcept { return name_; }
  bool wants(std::string_view topic) const;
  // [any] Registers it with the store, then wakes it. If the store refuses, logs a warning and retries,
  // because the store keeps no events for a consumer that is not registered.
  void enroll();
  // [any] Queues at most one wake-up.
  void wake();
  // [any] Call before close(): cancels the retry timer.
  void cancel_timer();

 private:
  void enrolled(const Status& status);
  void warn(const Error& error) const;

  // borrowed
  HostServices& services_;
  // owned
  const std::string name_;
  const std::vector<std::string> patterns_;
  const CallFn fn_;
  void* const user_;
  // state; those below on the strand
  std::atomic<bool> queued_{false};
  RegistrationTimer again_;
  int64_t retry_ms_ = kStoreRetryMs;
};

}  // namespace patchbay::core
