// HeldConsumer: a plugin's durable consumer, woken when the log has something new for it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "abi/host_services.h"
#include "patchbay/result.h"
#include "runtime/registration.h"
#include "runtime/registration_timer.h"

namespace patchbay::core {

class HeldConsumer final : public Registration {
 public:
  HeldConsumer(HostServices& services, Ref<Strand> strand, std::string name,
               std::vector<std::string> patterns, CallFn fn, void* user);

  const std::string& name() const noexcept { return name_; }
  bool wants(std::string_view topic) const;
  // [any] Registers it with the store, and wakes it then. A store that refuses is asked again, with a
  // warning, until it takes it: without its row there no event would be kept for it.
  void enroll();
  // [any] One wake-up is queued at most.
  void wake();
  // [any] Call before close(): cancels the retry timer.
  void rest();

 private:
  static constexpr int64_t kMinRetryMs = 1000;
  static constexpr int64_t kMaxRetryMs = 60'000;

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
  int64_t retry_ms_ = kMinRetryMs;
};

}  // namespace patchbay::core
