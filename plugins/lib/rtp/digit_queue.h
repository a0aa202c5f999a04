// DTMF digits that wait to be sent as telephone-events (RFC 4733), one after the other, with pauses between
// them. One thread; no allocation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "rtp/telephone_event.h"

namespace patchbay::lib {

class DigitQueue {
 public:
  static constexpr size_t kCapacity = 64;
  static constexpr uint32_t kDigitMs = 100;   // the usual length of a key press
  static constexpr uint32_t kGapMs = 60;      // between digits: more than the 40 ms that Q.24 asks for
  static constexpr uint32_t kPauseMs = 2000;  // of ',', as modems have it

  // Returns whether all are digits ("0-9*#A-D") or pauses (',').
  static bool is_valid(std::string_view digits) noexcept;

  // Appends digits that are valid; `duration_ms` of each, 40 to 5000. Returns false, and appends none, if
  // there is no room.
  bool add(std::string_view digits, uint32_t duration_ms = kDigitMs) noexcept;
  void clear() noexcept;
  bool is_empty() const noexcept { return waiting_ == 0 && !sender_.active(); }

  // Call it every 20 ms. Returns the payload of an event to send instead of audio, or null for audio.
  // `timestamp`: of the RTP packet that is sent now, with which an event begins. `clock_hz`: of events.
  struct Payload {
    std::array<uint8_t, TelephoneEventSender::kPayloadBytes> bytes;
    uint32_t timestamp;
    bool first;  // carries the marker bit
  };
  const Payload* next(uint32_t timestamp, uint32_t clock_hz) noexcept;

 private:
  struct Waiting {
    char digit;
    uint32_t duration_ms;
  };
  std::array<Waiting, kCapacity> queue_{};
  size_t begin_ = 0;
  size_t waiting_ = 0;
  uint32_t silent_ms_ = 0;  // until the next digit may begin
  TelephoneEventSender sender_;
  Payload payload_{};
};

}  // namespace patchbay::lib
