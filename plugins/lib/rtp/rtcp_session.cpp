#include "rtp/rtcp_session.h"

#include <utility>

namespace patchbay::lib {
namespace {

constexpr int64_t kReportIntervalNs = 5'000'000'000;  // RFC 3550 section 6.2
constexpr uint32_t kMaxRoundTrip = 10 * 65536;        // 10 s in 1/65536 s; more is bogus, or a wrapped clock
constexpr uint64_t kNtpEpochOffsetS = 2'208'988'800;  // from 1900 to 1970

}  // namespace

class RtcpSession::Reader final : public RtcpListener {
 public:
  Reader(RtcpSession& session, ReceptionStats* reception, int64_t now_ns)
      : session_(session), reception_(reception), now_ns_(now_ns) {}

  void on_sender_report(uint32_t ssrc, const SenderInfo& info) noexcept override {
    if (reception_ != nullptr && ssrc == reception_->ssrc()) reception_->sender_report(info.ntp, now_ns_);
  }

  void on_report_block(uint32_t, const ReportBlock& block) noexcept override {
    if (block.ssrc != session_.options_.ssrc) return;
    PeerReport& report = session_.peer_report_;
    report.received = true;
    report.fraction_lost = block.fraction_lost;
    if (block.last_sr == 0) return;
    const auto now = static_cast<uint32_t>(session_.ntp(now_ns_) >> 16);
    const uint32_t round_trip = now - block.last_sr - block.delay_since_last_sr;
    if (round_trip < kMaxRoundTrip)
      report.round_trip_us = static_cast<uint32_t>(uint64_t{round_trip} * 1'000'000 >> 16);
  }

  void on_bye(uint32_t) noexcept override {}  // only SIP ends a call

 private:
  RtcpSession& session_;
  ReceptionStats* reception_;
  int64_t now_ns_;
};

RtcpSession::RtcpSession(Options options)
    : options_(std::move(options)), next_report_ns_(options_.now_ns + kReportIntervalNs / 2) {}

bool RtcpSession::read(const uint8_t* data, size_t size, ReceptionStats* reception, int64_t now_ns) noexcept {
  Reader reader(*this, reception, now_ns);
  return parse_rtcp(data, size, reader);
}

size_t RtcpSession::write(const SentMedia& sent, ReceptionStats* reception, bool bye, int64_t now_ns,
                          uint8_t* out, size_t capacity) noexcept {
  // Between half and one and a half intervals, so that reports do not synchronise (RFC 3550 section 6.2).
  next_report_ns_ =
      now_ns + kReportIntervalNs / 2 + (now_ns / 1000 + options_.ssrc) % (kReportIntervalNs / 1000) * 1000;
  SenderInfo sender;
  sender.ntp = ntp(now_ns);
  sender.rtp_timestamp = sent.rtp_timestamp;
  sender.packets = sent.packets;
  sender.octets = sent.octets;
  ReportBlock block;
  if (reception != nullptr) block = reception->report(now_ns);
  RtcpReport report;
  report.ssrc = options_.ssrc;
  report.sender = sent.packets > 0 ? &sender : nullptr;
  report.block = reception != nullptr ? &block : nullptr;
  report.cname = options_.cname;
  report.bye = bye;
  return write_rtcp(report, out, capacity);
}

uint64_t RtcpSession::ntp(int64_t now_ns) const noexcept {
  const auto wall = static_cast<uint64_t>(now_ns + options_.wall_offset_ns);
  const uint64_t seconds = wall / 1'000'000'000 + kNtpEpochOffsetS;
  const uint64_t fraction = (wall % 1'000'000'000 << 32) / 1'000'000'000;
  return seconds << 32 | fraction;
}

}  // namespace patchbay::lib
