// Decides which SSRC (RFC 3550 section 8) a stream follows, and when a new one replaces it. One thread, no
// allocation.
#pragma once

#include <cstdint>

namespace patchbay::lib {

// Follows the SSRC of the first packet. Another one replaces it only after two packets in sequence, because a
// single packet may be spoofed or belong to a stream that has ended.
class SsrcSwitch {
 public:
  enum class Verdict {
    current,   // of the stream that is followed
    switched,  // begins a new stream, which is followed from now on
    refused,   // of another SSRC, not confirmed yet
  };

  Verdict accept(uint32_t ssrc, uint16_t sequence) noexcept;

  bool has_ssrc() const noexcept { return has_ssrc_; }
  // The SSRC that is followed; 0 before the first packet.
  uint32_t ssrc() const noexcept { return ssrc_; }

 private:
  bool is_confirmed(uint32_t ssrc, uint16_t sequence) const noexcept;

  bool has_ssrc_ = false;
  uint32_t ssrc_ = 0;
  // The latest packet of another SSRC since the last one of the stream.
  bool has_candidate_ = false;
  uint32_t candidate_ssrc_ = 0;
  uint16_t candidate_sequence_ = 0;
};

}  // namespace patchbay::lib
