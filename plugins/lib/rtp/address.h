// An IPv4 or IPv6 socket address as a value. Any thread; only parse() and text() may allocate.
#pragma once

#include <netinet/in.h>
#include <patchbay/result.h>

#include <string>

namespace patchbay::lib {

// Where packets to an address may go.
enum class AddressKind {
  host,         // one host somewhere, in a private network or a public one
  unspecified,  // 0.0.0.0/8, ::
  loopback,
  link_local,
  multicast,  // broadcast and reserved ones too
};

class SocketAddress {
 public:
  SocketAddress() noexcept = default;  // no address

  // A numeric address; names are not resolved here.
  static Result<SocketAddress> parse(const std::string& ip, uint16_t port);
  // IPv4 in IPv6 (::ffff:a.b.c.d) becomes IPv4, so that one peer has one value.
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

// The address of this machine that packets to `peer` leave from, by the routing table; port 0. Sends nothing.
// Code::unavailable without a route.
Result<SocketAddress> local_address_towards(const SocketAddress& peer);

}  // namespace patchbay::lib
