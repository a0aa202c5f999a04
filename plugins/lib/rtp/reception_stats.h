// Receiver statistics of one source (RFC 3550 appendices A.1, A.3, A.8) and detection of duplicates. One
// thread, no allocation.
#pragma once

#include <cstdint>

#include "rtp/rtcp_packet.h"

namespace patchbay::lib {

class ReceptionStats {
 public:
  enum class Verdict { fresh, duplicate, too_old };

  // Resets everything and starts with the first packet of `ssrc`.
  void start(uint32_t ssrc, uint16_t sequence) noexcept;

  // Counts a packet. `arrival` is in timestamp units (8 kHz), with any origin.
  Verdict add(uint16_t sequence, uint32_t timestamp, uint32_t arrival) noexcept;

  // Records a sender report of this source that arrived at `now_ns`.
  void sender_report(uint64_t ntp, int64_t now_ns) noexcept;

  // Builds the block for the next report, and starts a new interval of `fraction_lost`.
  ReportBlock report(int64_t now_ns) noexcept;

  uint32_t ssrc() const noexcept { return ssrc_; }
  int64_t lost() const noexcept;
  uint32_t jitter() const noexcept { return jitter_16_ >> 4; }
  // How often the sender restarted with other sequence numbers.
  uint64_t restarts() const noexcept { return restarts_; }
  uint64_t duplicates() const noexcept { return duplicates_; }

 private:
  Verdict restart(uint16_t sequence, uint32_t timestamp, uint32_t arrival) noexcept;
  int64_t expected() const noexcept { return static_cast<int64_t>(highest_) - first_ + 1; }

  uint32_t ssrc_ = 0;
  int64_t highest_ = 0;  // extended sequence number (RFC 3550 appendix A.1)
  int64_t first_ = 0;
  uint64_t seen_ = 0;  // bit n: highest_ - n has arrived
  uint64_t received_ = 0;
  uint64_t duplicates_ = 0;
  uint64_t restarts_ = 0;
  int32_t after_old_ = -1;  // the sequence number after the latest one that was too old; -1: none
  uint32_t last_transit_ = 0;
  uint32_t jitter_16_ = 0;  // jitter times 16
  bool has_transit_ = false;
  int64_t expected_before_ = 0;
  uint64_t received_before_ = 0;
  uint32_t last_sr_ = 0;
  int64_t last_sr_at_ns_ = 0;
};

}  // namespace patchbay::lib
