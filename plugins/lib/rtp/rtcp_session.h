// The RTCP of one stream (RFC 3550 section 6): when a report is due, what it says, and what the peer's
// reports say. One thread, no allocation after construction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "rtp/reception_stats.h"
#include "rtp/rtcp_packet.h"

namespace patchbay::lib {

// The media sent so far.
struct SentMedia {
  uint32_t rtp_timestamp = 0;
  uint32_t packets = 0;
  uint32_t octets = 0;
};

class RtcpSession {
 public:
  struct Options {
    uint32_t ssrc = 0;           // of the media that we send
    std::string cname;           // must not identify the host
    int64_t now_ns = 0;          // monotonic
    int64_t wall_offset_ns = 0;  // time of day minus monotonic time, for NTP timestamps
  };
  explicit RtcpSession(Options options);

  // Another source is sent from now on.
  void set_ssrc(uint32_t ssrc) noexcept { options_.ssrc = ssrc; }

  bool is_due(int64_t now_ns) const noexcept { return now_ns >= next_report_ns_; }
  // Writes SR or RR, SDES, and BYE if `bye` is set; schedules the next report. `reception`: of the peer's
  // stream; null: none yet. Returns the size, or 0 if `capacity` is too small.
  size_t write(const SentMedia& sent, ReceptionStats* reception, bool bye, int64_t now_ns, uint8_t* out,
               size_t capacity) noexcept;

  // Reads a compound packet of the peer. Returns false if it is invalid; the parts before the error count.
  bool read(const uint8_t* data, size_t size, ReceptionStats* reception, int64_t now_ns) noexcept;

  // What the peer has reported about the media that we send.
  struct PeerReport {
    bool received = false;       // false: the peer has sent no such report
    uint8_t fraction_lost = 0;   // in 1/256
    uint32_t round_trip_us = 0;  // 0: unknown
  };
  const PeerReport& peer_report() const noexcept { return peer_report_; }

 private:
  class Reader;

  uint64_t ntp(int64_t now_ns) const noexcept;

  Options options_;
  int64_t next_report_ns_;
  PeerReport peer_report_;
};

}  // namespace patchbay::lib
