// AddressRange: "203.0.113.0/24". A value; pure.
#pragma once

#include <patchbay/result.h>

#include <cstdint>
#include <string>
#include <vector>

#include "rtp/address.h"

namespace patchbay::sip_trunk {

class AddressRange {
 public:
  // Parses an address with an optional number of bits. Code::invalid: no such range, bits of the host part
  // are set, or fewer bits that make 256 addresses (24, and 120 of IPv6): each is an entry of the peer
  // filter.
  static Result<AddressRange> parse(const std::string& text);

  bool contains(const lib::SocketAddress& address) const noexcept;
  // All of its addresses.
  std::vector<lib::SocketAddress> addresses() const;

 private:
  lib::SocketAddress first_;
  int bits_ = 0;
};

}  // namespace patchbay::sip_trunk
