#include "trunks/address_range.h"

#include <arpa/inet.h>
#include <patchbay/text.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace patchbay::sip_trunk {
namespace {

using Bytes = std::array<uint8_t, 16>;

// The address in network order; the bytes beyond it are 0.
Bytes bytes_of(const lib::SocketAddress& address) {
  Bytes out{};
  sockaddr_storage storage;
  (void)address.fill(storage);
  if (address.family() == AF_INET6)
    std::memcpy(out.data(), &reinterpret_cast<const sockaddr_in6&>(storage).sin6_addr, 16);
  else
    std::memcpy(out.data(), &reinterpret_cast<const sockaddr_in&>(storage).sin_addr, 4);
  return out;
}

// The address with all bits after the first `bits` cleared.
Bytes network_of(Bytes bytes, int bits) {
  for (int i = 0; i < 16; ++i) {
    const int kept = std::clamp(bits - i * 8, 0, 8);
    bytes[static_cast<size_t>(i)] &= static_cast<uint8_t>(0xFF << (8 - kept));
  }
  return bytes;
}

}  // namespace

Result<AddressRange> AddressRange::parse(const std::string& text) {
  const Error invalid{
      Code::invalid,
      "must be an address or a range of at least 24 bits, or 120 of IPv6, whose other bits are 0, "
      "such as 203.0.113.0/24"};
  const size_t slash = text.find('/');
  const auto address = lib::SocketAddress::parse(text.substr(0, slash), 0);
  if (!address) return invalid;
  const bool v6 = address->family() == AF_INET6;
  AddressRange range;
  range.first_ = *address;
  range.bits_ = v6 ? 128 : 32;
  if (slash != std::string::npos) {
    const std::string bits = text.substr(slash + 1);
    if (!is_digits(bits) || bits.size() > 3 || std::stoi(bits) > range.bits_) return invalid;
    range.bits_ = std::stoi(bits);
  }
  const Bytes bytes = bytes_of(*address);
  if (range.bits_ < (v6 ? 120 : 24) || network_of(bytes, range.bits_) != bytes) return invalid;
  return range;
}

std::vector<lib::SocketAddress> AddressRange::addresses() const {
  const bool v6 = first_.family() == AF_INET6;
  const int count = 1 << ((v6 ? 128 : 32) - bits_);
  Bytes bytes = bytes_of(first_);
  std::vector<lib::SocketAddress> all;
  for (int i = 0; i < count; ++i) {
    char text[INET6_ADDRSTRLEN] = "";
    if (::inet_ntop(first_.family(), bytes.data(), text, sizeof(text)) == nullptr) continue;
    if (const auto address = lib::SocketAddress::parse(text, 0)) all.push_back(*address);
    ++bytes[v6 ? 15 : 3];
  }
  return all;
}

bool AddressRange::contains(const lib::SocketAddress& address) const noexcept {
  return address.family() == first_.family() && network_of(bytes_of(address), bits_) == bytes_of(first_);
}

}  // namespace patchbay::sip_trunk
