#include "srtp/packet_index.h"

namespace patchbay::lib {
namespace {

constexpr uint64_t kRollOver = uint64_t{1} << 16;
constexpr uint64_t kMaxIndex = (uint64_t{1} << 48) - 1;
constexpr uint64_t kWindow = 64;

}  // namespace

uint64_t nearest_packet_index(uint64_t highest, uint16_t sequence) noexcept {
  const uint64_t same = (highest & ~(kRollOver - 1)) | sequence;
  if (same + kRollOver / 2 < highest) return same + kRollOver;
  if (same > highest + kRollOver / 2 && same >= kRollOver) return same - kRollOver;
  return same;
}

std::optional<uint64_t> SentIndices::use(uint16_t sequence) noexcept {
  if (!is_started_) {
    is_started_ = true;
    highest_ = sequence;
    used_ = 1;
    return highest_;
  }
  const uint64_t index = nearest_packet_index(highest_, sequence);
  if (index > highest_) {
    if (index > kMaxIndex) return std::nullopt;
    const uint64_t ahead = index - highest_;
    used_ = ahead < kWindow ? used_ << ahead | 1 : 1;
    highest_ = index;
    return index;
  }
  const uint64_t behind = highest_ - index;
  if (behind >= kWindow || (used_ >> behind & 1) != 0) return std::nullopt;
  used_ |= uint64_t{1} << behind;
  return index;
}

}  // namespace patchbay::lib
