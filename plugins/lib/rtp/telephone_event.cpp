#include "rtp/telephone_event.h"

#include <algorithm>
#include <string_view>

#include "rtp/bytes.h"

namespace patchbay::lib {
namespace {

constexpr std::string_view kDigits = "0123456789*#ABCD";  // the index is the event code
constexpr uint32_t kSamplesPerTick = 160;
constexpr uint8_t kVolume = 10;  // -10 dBm0
constexpr uint8_t kEnd = 0x80;
constexpr uint8_t kEndRepeats = 3;

}  // namespace

std::optional<char> TelephoneEventReceiver::add(uint32_t timestamp, const uint8_t* payload,
                                                size_t size) noexcept {
  if (size < TelephoneEventSender::kPayloadBytes || payload[0] >= kDigits.size()) return std::nullopt;
  // Packets of an earlier event that come late are no new one.
  if (has_last_ && static_cast<int32_t>(timestamp - last_timestamp_) <= 0) return std::nullopt;
  has_last_ = true;
  last_timestamp_ = timestamp;
  return kDigits[payload[0]];
}

bool TelephoneEventSender::start(char digit, uint32_t timestamp, uint32_t duration_ms) noexcept {
  const size_t event = kDigits.find(digit);
  if (active_ || event == std::string_view::npos) return false;
  active_ = true;
  event_ = static_cast<uint8_t>(event);
  ends_sent_ = 0;
  timestamp_ = timestamp;
  elapsed_ = 0;
  duration_ = std::clamp<uint32_t>(duration_ms, 40, 5000) * 8;
  return true;
}

bool TelephoneEventSender::next(uint8_t out[kPayloadBytes]) noexcept {
  const bool first = elapsed_ == 0;
  elapsed_ = std::min(elapsed_ + kSamplesPerTick, duration_);
  const bool ended = elapsed_ == duration_;
  out[0] = event_;
  out[1] = static_cast<uint8_t>((ended ? kEnd : 0) | kVolume);
  write_u16(out + 2, static_cast<uint16_t>(elapsed_));
  if (ended && ++ends_sent_ == kEndRepeats) active_ = false;
  return first;
}

}  // namespace patchbay::lib
