// The 48-bit indices of the packets that one source sends (RFC 3711 section 3.3.1): the sequence number and
// how often it has rolled over. An index must never protect two packets, because that would reveal the key
// stream.
#pragma once

#include <cstdint>
#include <optional>

namespace patchbay::lib {

// The index with this sequence number that is nearest to `highest`, never below 0.
uint64_t nearest_packet_index(uint64_t highest, uint16_t sequence) noexcept;

class SentIndices {
 public:
  // Returns the index of the next packet. Nullopt: that index was used, or may have been because it is more
  // than 64 below the highest, or the key has protected 2^48 packets.
  std::optional<uint64_t> use(uint16_t sequence) noexcept;

 private:
  bool is_started_ = false;
  uint64_t highest_ = 0;
  uint64_t used_ = 0;  // bit n: highest_ - n was used
};

}  // namespace patchbay::lib
