#include "trunks/trunk_state.h"

#include <algorithm>

#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {
namespace {

// Doubles with each failure, from the first one on.
int64_t back_off(int64_t first_ms, uint32_t failures, int64_t most_ms) {
  return std::min(most_ms, first_ms << std::min<uint32_t>(failures > 0 ? failures - 1 : 0, 16));
}

}  // namespace

void TrunkState::answered(int64_t now_ms, bool to_probe) {
  value_ = Value::up;
  why_.clear();
  failed_probes_ = failed_calls_ = 0;
  answers_probes_ = answers_probes_ || to_probe;
  if (to_probe || next_probe_ms_ != kNever) next_probe_ms_ = probe_ms_ > 0 ? now_ms + probe_ms_ : kNever;
}

void TrunkState::failed(int64_t now_ms, const std::string& why, bool was_probe) {
  if (was_probe) {
    ++failed_probes_;
    const bool counts = value_ == Value::down || (answers_probes_ && failed_probes_ >= 2);
    if (!counts) {
      next_probe_ms_ = now_ms + (answers_probes_ ? kFirstProbeMs : probe_ms_);
      if (!answers_probes_ && probe_ms_ == 0) next_probe_ms_ = kNever;
      return;
    }
  } else {
    next_call_ms_ = now_ms + back_off(kFirstCallRetryMs, ++failed_calls_, kMaxCallRetryMs);
    failed_probes_ = std::max<uint32_t>(failed_probes_, 1);
  }
  value_ = Value::down;
  why_ = why;
  next_probe_ms_ = now_ms + back_off(kFirstProbeMs, failed_probes_, kMaxProbeMs);
}

bool TrunkState::takes_calls(int64_t now_ms) const noexcept {
  return value_ != Value::down || (!answers_probes_ && now_ms >= next_call_ms_);
}

}  // namespace patchbay::sip_trunk
