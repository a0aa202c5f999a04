// RTCP (RFC 3550 section 6) for a two-party audio leg. Pure functions on borrowed bytes, any thread, no
// allocation. The parser reads compound packets and stops at the first invalid part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace patchbay::lib {

struct ReportBlock {
  uint32_t ssrc = 0;  // source that the block reports on
  uint8_t fraction_lost = 0;
  int32_t cumulative_lost = 0;  // 24 bits on the wire
  uint32_t highest_sequence = 0;
  uint32_t jitter = 0;               // in timestamp units
  uint32_t last_sr = 0;              // the middle 32 bits of the NTP time of the last SR
  uint32_t delay_since_last_sr = 0;  // 1/65536 s
};

struct SenderInfo {
  uint64_t ntp = 0;
  uint32_t rtp_timestamp = 0;
  uint32_t packets = 0;
  uint32_t octets = 0;
};

// Receives the parts of a compound packet in their order, on the thread that calls parse_rtcp().
class RtcpListener {
 public:
  virtual void on_sender_report(uint32_t ssrc, const SenderInfo& info) noexcept = 0;
  virtual void on_report_block(uint32_t reporter, const ReportBlock& block) noexcept = 0;
  virtual void on_bye(uint32_t ssrc) noexcept = 0;

 protected:
  ~RtcpListener() = default;
};

// Returns false for an invalid compound packet; the listener has received the parts before the error by then.
bool parse_rtcp(const uint8_t* data, size_t size, RtcpListener& listener) noexcept;

// Writes SR (RR if `sender` is null), SDES with the CNAME, and BYE if `bye` is set. Returns the size, or 0 if
// `capacity` is too small: 160 bytes are enough for a CNAME of 64.
struct RtcpReport {
  uint32_t ssrc = 0;
  const SenderInfo* sender = nullptr;
  const ReportBlock* block = nullptr;
  std::string_view cname;  // at most 255 bytes
  bool bye = false;
};
size_t write_rtcp(const RtcpReport& report, uint8_t* out, size_t capacity) noexcept;

}  // namespace patchbay::lib
