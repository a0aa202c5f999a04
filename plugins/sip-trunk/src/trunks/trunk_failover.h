// Selects the trunk of a route to try next. No I/O; one thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "stack/sip_types.h"

namespace patchbay::sip_trunk {

// The trunks of one route in order. Moves on when the network or the trunk failed (transport error, silence,
// 5xx, 403, 408), but never after the callee was reached (101 to 199), because any answer then is the result
// of the call. Never moves on after other answers (404, 484, 486, 6xx), redirects or our own hangup.
class TrunkFailover {
 public:
  explicit TrunkFailover(std::vector<std::string> trunk_ids) : trunk_ids_(std::move(trunk_ids)) {}

  // The trunk to dial; null if none is left.
  const std::string* current() const noexcept {
    return next_ < trunk_ids_.size() ? &trunk_ids_[next_] : nullptr;
  }
  size_t tried() const noexcept { return next_; }

  // Records a provisional answer of the current trunk. Ignores 100, which does not come from the callee.
  void on_progress(int status) noexcept { reached_ = reached_ || (status > 100 && status < 200); }

  // Passes over the current trunk, which takes no call now. Returns true if current() is another trunk.
  bool skip() noexcept {
    if (next_ < trunk_ids_.size()) ++next_;
    return current() != nullptr;
  }

  // Records the end of the attempt on the current trunk. Returns true if current() is another trunk to try
  // now.
  bool on_ended(const DialogEnd& ended) noexcept;

 private:
  std::vector<std::string> trunk_ids_;
  size_t next_ = 0;
  bool reached_ = false;
};

}  // namespace patchbay::sip_trunk
