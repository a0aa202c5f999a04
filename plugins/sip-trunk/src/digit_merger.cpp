#include "digit_merger.h"

#include <algorithm>

namespace patchbay::sip_trunk {
namespace {

constexpr int64_t kSameDigitMs = 1000;  // INFO may come much later than media, but seldom this much
constexpr size_t kMaxUnmatched = 32;

}  // namespace

bool DigitMerger::accept(Source source, char digit, int64_t now_ms) {
  std::erase_if(unmatched_, [&](const Recent& one) { return now_ms - one.at_ms > kSameDigitMs; });
  const auto same = std::find_if(unmatched_.begin(), unmatched_.end(), [&](const Recent& one) {
    return one.source != source && one.digit == digit;
  });
  if (same != unmatched_.end()) {
    unmatched_.erase(same);
    return false;
  }
  if (unmatched_.size() < kMaxUnmatched) unmatched_.push_back({source, digit, now_ms});
  return true;
}

}  // namespace patchbay::sip_trunk
