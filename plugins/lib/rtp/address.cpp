#include "rtp/address.h"

#include <arpa/inet.h>
#include <patchbay/descriptor.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace patchbay::lib {
namespace {

constexpr uint8_t kMappedPrefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};

}  // namespace

Result<SocketAddress> SocketAddress::parse(const std::string& ip, uint16_t port) {
  sockaddr_storage storage{};
  auto* v4 = reinterpret_cast<sockaddr_in*>(&storage);
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&storage);
  if (inet_pton(AF_INET, ip.c_str(), &v4->sin_addr) == 1) {
    storage.ss_family = AF_INET;
    v4->sin_port = htons(port);
  } else if (inet_pton(AF_INET6, ip.c_str(), &v6->sin6_addr) == 1) {
    storage.ss_family = AF_INET6;
    v6->sin6_port = htons(port);
  } else {
    return {Code::invalid, "no numeric IP address"};
  }
  return from(storage);
}

SocketAddress SocketAddress::from(const sockaddr_storage& storage) noexcept {
  SocketAddress out;
  if (storage.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(storage);
    out.family_ = AF_INET;
    out.port_ = ntohs(v4.sin_port);
    std::memcpy(out.bytes_, &v4.sin_addr, 4);
  } else if (storage.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(storage);
    out.port_ = ntohs(v6.sin6_port);
    if (std::memcmp(&v6.sin6_addr, kMappedPrefix, sizeof(kMappedPrefix)) == 0) {
      out.family_ = AF_INET;
      std::memcpy(out.bytes_, v6.sin6_addr.s6_addr + 12, 4);
    } else {
      out.family_ = AF_INET6;
      out.scope_ = v6.sin6_scope_id;
      std::memcpy(out.bytes_, &v6.sin6_addr, 16);
    }
  }
  return out;
}

SocketAddress SocketAddress::with_port(uint16_t port) const noexcept {
  SocketAddress out = *this;
  out.port_ = port;
  return out;
}

bool SocketAddress::same_ip(const SocketAddress& other) const noexcept {
  return family_ == other.family_ && std::memcmp(bytes_, other.bytes_, sizeof(bytes_)) == 0;
}

bool SocketAddress::is_unspecified() const noexcept {
  return std::all_of(std::begin(bytes_), std::end(bytes_), [](uint8_t byte) { return byte == 0; });
}

AddressKind SocketAddress::kind() const noexcept {
  if (is_unspecified()) return AddressKind::unspecified;
  if (family_ == AF_INET6) {
    static constexpr uint8_t kLoopback[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    if (std::memcmp(bytes_, kLoopback, sizeof(kLoopback)) == 0) return AddressKind::loopback;
    if (bytes_[0] == 0xFF) return AddressKind::multicast;
    return bytes_[0] == 0xFE && (bytes_[1] & 0xC0) == 0x80 ? AddressKind::link_local : AddressKind::host;
  }
  if (bytes_[0] == 0) return AddressKind::unspecified;
  if (bytes_[0] == 127) return AddressKind::loopback;
  if (bytes_[0] >= 224) return AddressKind::multicast;
  return bytes_[0] == 169 && bytes_[1] == 254 ? AddressKind::link_local : AddressKind::host;
}

std::string SocketAddress::ip_text() const {
  char buffer[INET6_ADDRSTRLEN] = "";
  if (valid()) inet_ntop(family_, bytes_, buffer, sizeof(buffer));
  return buffer;
}

std::string SocketAddress::text() const {
  const std::string ip = ip_text();
  return (family_ == AF_INET6 ? "[" + ip + "]" : ip) + ":" + std::to_string(port_);
}

socklen_t SocketAddress::fill(sockaddr_storage& out) const noexcept {
  out = sockaddr_storage{};
  if (family_ == AF_INET6) {
    auto& v6 = reinterpret_cast<sockaddr_in6&>(out);
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port_);
    v6.sin6_scope_id = scope_;
    std::memcpy(&v6.sin6_addr, bytes_, 16);
    return sizeof(v6);
  }
  auto& v4 = reinterpret_cast<sockaddr_in&>(out);
  v4.sin_family = AF_INET;
  v4.sin_port = htons(port_);
  std::memcpy(&v4.sin_addr, bytes_, 4);
  return sizeof(v4);
}

Result<SocketAddress> local_address_towards(const SocketAddress& peer) {
  const Descriptor fd(::socket(peer.family(), SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!fd) return {Code::unavailable, std::string("no socket: ") + std::strerror(errno)};
  sockaddr_storage storage;
  const socklen_t size = peer.with_port(peer.port() == 0 ? uint16_t{9} : peer.port()).fill(storage);
  sockaddr_storage local{};
  socklen_t local_size = sizeof(local);
  const bool routed = ::connect(fd.get(), reinterpret_cast<sockaddr*>(&storage), size) == 0 &&
                      ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&local), &local_size) == 0;
  const int error = errno;
  if (!routed) return {Code::unavailable, "no route to " + peer.ip_text() + ": " + std::strerror(error)};
  return SocketAddress::from(local).with_port(0);
}

}  // namespace patchbay::lib
