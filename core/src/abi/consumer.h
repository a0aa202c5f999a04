// HeldConsumer: a plugin's durable consumer, woken when the log has something new for it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/registration.h"

namespace patchbay::core {

class HeldConsumer final : public Registration {
 public:
  HeldConsumer(Ref<Strand> strand, std::string name, std::vector<std::string> patterns, CallFn fn,
               void* user);

  const std::string& name() const noexcept { return name_; }
  const std::vector<std::string>& patterns() const noexcept { return patterns_; }
  bool wants(std::string_view topic) const;
  // [any] One wake-up is queued at most.
  void wake();

 private:
  const std::string name_;
  const std::vector<std::string> patterns_;
  const CallFn fn_;
  void* const user_;
  std::atomic<bool> queued_{false};
};

}  // namespace patchbay::core
