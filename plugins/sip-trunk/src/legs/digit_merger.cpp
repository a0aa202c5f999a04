#include "legs/digit_merger.h"

#include <algorithm>

namespace patchbay::sip_trunk {
namespace {

constexpr int64_t kSameDigitMs = 1000;
constexpr int64_t kLateInfoMs = 4000;
constexpr size_t kMaxUnmatched = 32;

}  // namespace

// Media is never sent again, so only an INFO can be that late.
bool DigitMerger::is_over(const Recent& one, int64_t now_ms) const noexcept {
  const bool awaits_info = sends_both_ && one.source == Source::media;
  return now_ms - one.at_ms > (awaits_info ? kLateInfoMs : kSameDigitMs);
}

bool DigitMerger::accept(Source source, char digit, int64_t now_ms) {
  std::erase_if(unmatched_, [&](const Recent& one) { return is_over(one, now_ms); });
  const auto same = std::find_if(unmatched_.begin(), unmatched_.end(), [&](const Recent& one) {
    return one.source != source && one.digit == digit;
  });
  if (same != unmatched_.end()) {
    unmatched_.erase(same);
    sends_both_ = true;
    return false;
  }
  if (unmatched_.size() < kMaxUnmatched) unmatched_.push_back({source, digit, now_ms});
  return true;
}

}  // namespace patchbay::sip_trunk
