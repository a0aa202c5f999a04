#include "rtp/ssrc_switch.h"

namespace patchbay::lib {

bool SsrcSwitch::is_confirmed(uint32_t ssrc, uint16_t sequence) const noexcept {
  return has_candidate_ && ssrc == candidate_ssrc_ &&
         sequence == static_cast<uint16_t>(candidate_sequence_ + 1);
}

SsrcSwitch::Verdict SsrcSwitch::accept(uint32_t ssrc, uint16_t sequence) noexcept {
  if (has_ssrc_ && ssrc == ssrc_) {
    has_candidate_ = false;
    return Verdict::current;
  }
  if (has_ssrc_ && !is_confirmed(ssrc, sequence)) {
    has_candidate_ = true;
    candidate_ssrc_ = ssrc;
    candidate_sequence_ = sequence;
    return Verdict::refused;
  }
  has_ssrc_ = true;
  ssrc_ = ssrc;
  has_candidate_ = false;
  return Verdict::switched;
}

}  // namespace patchbay::lib
