// Reports each DTMF digit once, although a peer may send it in two ways: in the media and by INFO.
#pragma once

#include <cstdint>
#include <vector>

namespace patchbay::sip_trunk {

class DigitMerger {
 public:
  enum class Source : uint8_t { media, info };

  // Returns whether the digit is a new one. It is not if the other source had the same digit within a second,
  // and that one has not been matched yet: each digit is matched once, in order.
  bool accept(Source source, char digit, int64_t now_ms);

 private:
  struct Recent {
    Source source;
    char digit;
    int64_t at_ms;
  };
  std::vector<Recent> unmatched_;
};

}  // namespace patchbay::sip_trunk
