// An IPv4 or IPv6 socket address as a value. Any thread; only parse(), text() and ip_text() may allocate.
#pragma once

#include <netinet/in.h>
#include <patchbay/result.h>

#include <string>

namespace patchbay::lib {

// What packets sent to an address reach.
enum class AddressKind {
  host,         // a unicast address, private or public
  unspecified,  // 0.0.0.0/8, ::
  loopback,
  link_local,
  multicast,  // also broadcast and reserved addresses
};

class SocketAddress {
 public:
  SocketAddress() noexcept = default;  // invalid

  // Parses a numeric address; never resolves a name.
  static Result<SocketAddress> parse(const std::string& ip, uint16_t port);
  // Turns an IPv4-mapped IPv6 address (::ffff:a.b.c.d) into IPv4, so that one peer has one value.
  static SocketAddress from(const sockaddr_storage& storage) noexcept;

  bool valid() const noexcept { return family_ != AF_UNSPEC; }
  int family() const noexcept { return family_; }
  uint16_t port() const noexcept { return port_; }
  SocketAddress with_port(uint16_t port) const noexcept;
  bool same_ip(const SocketAddress& other) const noexcept;
  bool is_unspecified() const noexcept;  // 0.0.0.0 or ::
  AddressKind kind() const noexcept;
  std::string text() const;  // "192.0.2.1:5004", "[2001:db8::1]:5004"
  std::string ip_text() const;

  // Writes the address into `out` and returns its size.
  socklen_t fill(sockaddr_storage& out) const noexcept;

  friend bool operator==(const SocketAddress& a, const SocketAddress& b) noexcept {
    return a.port_ == b.port_ && a.same_ip(b);
  }

 private:
  int family_ = AF_UNSPEC;
  uint16_t port_ = 0;  // host order
  uint32_t scope_ = 0;
  uint8_t bytes_[16] = {};
};

// Returns the source address that the routing table chooses for packets to `peer`, with port 0. Sends
// nothing. Code::unavailable: no route.
Result<SocketAddress> local_address_towards(const SocketAddress& peer);

}  // namespace patchbay::lib
