#include "rtp/reception_stats.h"

#include <algorithm>

namespace patchbay::lib {
namespace {

constexpr int64_t kWindow = 64;     // sequence numbers whose arrival is remembered
constexpr int64_t kMaxJump = 3000;  // a larger step means a restarted sender (RFC 3550 MAX_DROPOUT)

}  // namespace

void ReceptionStats::start(uint32_t ssrc, uint16_t sequence) noexcept {
  *this = ReceptionStats{};
  ssrc_ = ssrc;
  first_ = sequence;
  highest_ = first_ - 1;
}

ReceptionStats::Verdict ReceptionStats::restart(uint16_t sequence, uint32_t timestamp,
                                                uint32_t arrival) noexcept {
  const uint64_t restarts = restarts_ + 1;
  start(ssrc_, sequence);
  restarts_ = restarts;
  return add(sequence, timestamp, arrival);
}

ReceptionStats::Verdict ReceptionStats::add(uint16_t sequence, uint32_t timestamp,
                                            uint32_t arrival) noexcept {
  const auto step = static_cast<int16_t>(sequence - static_cast<uint16_t>(highest_));
  if (step > kMaxJump || step < -kMaxJump) {
    return restart(sequence, timestamp, arrival);
  }
  if (step > 0) {
    seen_ = step >= kWindow ? 0 : seen_ << step;
    seen_ |= 1;
    highest_ += step;
  } else {
    if (-step >= kWindow) {
      // Two old packets in sequence mean that the sender restarted with lower numbers; one is merely late.
      if (after_old_ == sequence) return restart(sequence, timestamp, arrival);
      after_old_ = static_cast<uint16_t>(sequence + 1);
      return Verdict::too_old;
    }
    const uint64_t bit = uint64_t{1} << -step;
    if ((seen_ & bit) != 0) {
      ++duplicates_;
      return Verdict::duplicate;
    }
    seen_ |= bit;
    first_ = std::min(first_, highest_ + step);
  }
  ++received_;
  const uint32_t transit = arrival - timestamp;
  if (has_transit_) {
    const auto difference = static_cast<int32_t>(transit - last_transit_);
    // Limited, because a sender that restarts its timestamps would distort the estimate for minutes.
    const auto distance =
        static_cast<uint32_t>(std::min<int64_t>(difference < 0 ? -int64_t{difference} : difference, 8000));
    jitter_16_ += distance - ((jitter_16_ + 8) >> 4);
  }
  last_transit_ = transit;
  has_transit_ = true;
  return Verdict::fresh;
}

void ReceptionStats::sender_report(uint64_t ntp, int64_t now_ns) noexcept {
  last_sr_ = static_cast<uint32_t>(ntp >> 16);
  last_sr_at_ns_ = now_ns;
}

int64_t ReceptionStats::lost() const noexcept {
  return std::max<int64_t>(0, expected() - static_cast<int64_t>(received_));
}

ReportBlock ReceptionStats::report(int64_t now_ns) noexcept {
  ReportBlock block;
  block.ssrc = ssrc_;
  block.cumulative_lost = static_cast<int32_t>(std::min<int64_t>(lost(), 0x7FFFFF));
  block.highest_sequence = static_cast<uint32_t>(highest_);
  block.jitter = jitter();
  const int64_t expected_now = expected() - expected_before_;
  const int64_t lost_now = expected_now - static_cast<int64_t>(received_ - received_before_);
  if (expected_now > 0 && lost_now > 0)
    block.fraction_lost = static_cast<uint8_t>(std::min<int64_t>(255, lost_now * 256 / expected_now));
  expected_before_ = expected();
  received_before_ = received_;
  if (last_sr_at_ns_ != 0) {
    block.last_sr = last_sr_;
    block.delay_since_last_sr = static_cast<uint32_t>((now_ns - last_sr_at_ns_) / 1000 * 65536 / 1000000);
  }
  return block;
}

}  // namespace patchbay::lib
