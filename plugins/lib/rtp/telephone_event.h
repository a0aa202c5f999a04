// Telephone events: DTMF in RTP (RFC 4733). One thread, no allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace patchbay::lib {

// Reports each event once, at its first packet, whatever of the others is lost: an event is sent in several
// packets with one timestamp.
class TelephoneEventReceiver {
 public:
  // Returns the digit ("0-9*#A-D"), or nullopt for an event already reported, an event that is not DTMF, or
  // too short a payload.
  // `clock_hz`: of the events.
  std::optional<char> add(uint32_t timestamp, const uint8_t* payload, size_t size,
                          uint32_t clock_hz = 8000) noexcept;
  void reset() noexcept { has_last_ = false; }

 private:
  bool has_last_ = false;
  uint32_t last_timestamp_ = 0;
  uint32_t last_duration_ = 0;
  uint8_t last_event_ = 0;
  bool last_ended_ = false;
};

// Builds the payloads of one digit, one per 20 ms tick; the last one is sent three times (RFC 4733 section
// 2.5.1.4).
class TelephoneEventSender {
 public:
  static constexpr size_t kPayloadBytes = 4;

  // Returns false while another digit is being sent, or if `digit` is invalid. `timestamp` is that of the
  // whole event, `clock_hz` that of its duration.
  bool start(char digit, uint32_t timestamp, uint32_t duration_ms, uint32_t clock_hz = 8000) noexcept;
  bool active() const noexcept { return active_; }
  uint32_t timestamp() const noexcept { return timestamp_; }

  // Writes the next payload. Returns true for the first one, whose packet carries the marker bit.
  bool next(uint8_t out[kPayloadBytes]) noexcept;

 private:
  bool active_ = false;
  uint8_t event_ = 0;
  uint8_t ends_sent_ = 0;
  uint32_t timestamp_ = 0;
  uint32_t elapsed_ = 0;  // samples
  uint32_t duration_ = 0;
  uint32_t per_tick_ = 160;
};

}  // namespace patchbay::lib
