// Reports each DTMF digit once, although a peer may send it in two ways: in the media and by INFO.
#pragma once

#include <cstdint>
#include <vector>

namespace patchbay::sip_trunk {

class DigitMerger {
 public:
  enum class Source : uint8_t { media, info };

  // Returns whether the digit is a new one. It is not if the other source had the same digit within a second,
  // and that one has not been matched yet: each digit is matched once, in order. Once a digit has come in
  // both ways, an INFO may be four seconds late, as after three lost ones over UDP (RFC 3261 timer E).
  bool accept(Source source, char digit, int64_t now_ms);

 private:
  struct Recent {
    Source source;
    char digit;
    int64_t at_ms;
  };
  bool is_over(const Recent& one, int64_t now_ms) const noexcept;

  std::vector<Recent> unmatched_;
  bool sends_both_ = false;
};

}  // namespace patchbay::sip_trunk
