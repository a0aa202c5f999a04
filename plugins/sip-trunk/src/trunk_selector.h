// Which trunk of a route is tried next. Pure state, one thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sip_types.h"

namespace patchbay::sip_trunk {

// The trunks of one matching route in order. The next one is tried when the network or the trunk failed
// (transport error, silence, 5xx, 403, 408) and never once the callee was reached: after 180, 183 and their
// like, what comes is the call's own result. Nothing else leads on: neither other answers (404, 484, 486,
// 6xx), nor redirects, nor our own hanging up.
class TrunkSelector {
 public:
  explicit TrunkSelector(std::vector<std::string> trunk_ids) : trunk_ids_(std::move(trunk_ids)) {}

  // The trunk to dial by, nullptr when all are used up.
  const std::string* current() const noexcept {
    return next_ < trunk_ids_.size() ? &trunk_ids_[next_] : nullptr;
  }
  size_t tried() const noexcept { return next_; }

  // A provisional answer on the current trunk; 100 says nothing about the callee.
  void on_progress(int status) noexcept { reached_ = reached_ || (status > 100 && status < 200); }

  // The attempt on the current trunk is over. True when current() is another trunk to try now.
  bool on_ended(const DialogEnd& ended) noexcept;

 private:
  std::vector<std::string> trunk_ids_;
  size_t next_ = 0;
  bool reached_ = false;
};

}  // namespace patchbay::sip_trunk
