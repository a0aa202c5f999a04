#include "rtp/telephone_event.h"

#include <algorithm>
#include <string_view>

#include "rtp/bytes.h"

namespace patchbay::lib {
namespace {

constexpr std::string_view kDigits = "0123456789*#ABCD";  // the index is the event code
constexpr uint32_t kTickMs = 20;
constexpr uint8_t kVolume = 10;  // -10 dBm0
constexpr uint8_t kEnd = 0x80;
constexpr uint8_t kEndRepeats = 3;
constexpr uint32_t kMaxDuration = 0xFFFF;
constexpr uint32_t kSegmentSlackMs = 60;  // the last packets of a segment may be lost
// A packet that comes later than this after the beginning of its event, or of its segment, is of a sender
// whose timestamps have begun anew.
constexpr uint32_t kMaxLateMs = 2000;

}  // namespace

std::optional<char> TelephoneEventReceiver::add(uint32_t timestamp, const uint8_t* payload, size_t size,
                                                uint32_t clock_hz) noexcept {
  if (size < TelephoneEventSender::kPayloadBytes || payload[0] >= kDigits.size()) return std::nullopt;
  const bool ended = (payload[1] & kEnd) != 0;
  const uint32_t duration = read_u16(payload + 2);
  const uint32_t step = timestamp - last_timestamp_;
  if (has_last_ && step == 0) {
    last_duration_ = std::max(last_duration_, duration);
    last_ended_ = last_ended_ || ended;
    return std::nullopt;
  }
  // Ignores late packets of an earlier event.
  if (has_last_ && last_timestamp_ - timestamp <= kMaxDuration + kMaxLateMs * (clock_hz / 1000))
    return std::nullopt;
  // An event longer than the duration field can hold is sent in segments, each with a timestamp that
  // continues the one before (RFC 4733 section 2.5.1.3). After a shorter one whose end was lost, the same key
  // was pressed again.
  const uint32_t slack = kSegmentSlackMs * (clock_hz / 1000);
  const bool continues = has_last_ && !last_ended_ && payload[0] == last_event_ &&
                         last_duration_ + slack >= kMaxDuration && step >= last_duration_ &&
                         step <= last_duration_ + slack;
  has_last_ = true;
  last_event_ = payload[0];
  last_timestamp_ = timestamp;
  last_duration_ = duration;
  last_ended_ = ended;
  if (continues) return std::nullopt;
  return kDigits[payload[0]];
}

bool TelephoneEventSender::start(char digit, uint32_t timestamp, uint32_t duration_ms,
                                 uint32_t clock_hz) noexcept {
  const size_t event = kDigits.find(digit);
  if (active_ || event == std::string_view::npos) return false;
  active_ = true;
  event_ = static_cast<uint8_t>(event);
  ends_sent_ = 0;
  timestamp_ = timestamp;
  elapsed_ = 0;
  per_tick_ = clock_hz / 1000 * kTickMs;
  // The field has 16 bits: 8 s at 8 kHz, 1.3 s at 48 kHz.
  duration_ = std::min(std::clamp<uint32_t>(duration_ms, 40, 5000) * (clock_hz / 1000), uint32_t{0xFFFF});
  return true;
}

bool TelephoneEventSender::next(uint8_t out[kPayloadBytes]) noexcept {
  const bool first = elapsed_ == 0;
  elapsed_ = std::min(elapsed_ + per_tick_, duration_);
  const bool ended = elapsed_ == duration_;
  out[0] = event_;
  out[1] = static_cast<uint8_t>((ended ? kEnd : 0) | kVolume);
  write_u16(out + 2, static_cast<uint16_t>(elapsed_));
  if (ended && ++ends_sent_ == kEndRepeats) active_ = false;
  return first;
}

}  // namespace patchbay::lib
