#include "rtp/socket.h"

#include <linux/sock_diag.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <random>
#include <utility>

#include "rtp/peer_address_filter.h"

namespace patchbay::lib {
namespace {

constexpr int kKernelPortTries = 200;
constexpr int kReceiveBufferBytes = 256 * 1024;  // about 500 small packets: a flood of one tick
constexpr int kExpeditedForwarding = 0xB8;       // DSCP EF

// Empty, with errno set, if the port cannot be bound.
Descriptor bind_udp(const SocketAddress& address) {
  Descriptor fd(::socket(address.family(), SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) return fd;
  sockaddr_storage storage;
  const socklen_t size = address.fill(storage);
  if (::bind(fd.get(), reinterpret_cast<sockaddr*>(&storage), size) != 0) return {};
  (void)::setsockopt(fd.get(), SOL_SOCKET, SO_RCVBUF, &kReceiveBufferBytes, sizeof(kReceiveBufferBytes));
  if (address.family() == AF_INET)
    (void)::setsockopt(fd.get(), IPPROTO_IP, IP_TOS, &kExpeditedForwarding, sizeof(kExpeditedForwarding));
  return fd;
}

uint16_t bound_port(int fd) {
  sockaddr_storage storage{};
  socklen_t size = sizeof(storage);
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&storage), &size) != 0) return 0;
  return SocketAddress::from(storage).port();
}

// SO_MEMINFO (Linux 4.12), because SO_RXQ_OVFL reports the count only together with a datagram that was not
// dropped.
uint32_t drops_of(int fd) {
  std::array<uint32_t, SK_MEMINFO_VARS> info{};
  socklen_t size = sizeof(info);
  if (::getsockopt(fd, SOL_SOCKET, SO_MEMINFO, info.data(), &size) != 0) return 0;
  return info[SK_MEMINFO_DROPS];
}

}  // namespace

Result<RtpSocket> RtpSocket::open(const SocketAddress& local, uint16_t min_port, uint16_t max_port) {
  if (!local.valid()) return {Code::invalid, "no local address for media"};
  const int first = min_port + (min_port & 1);
  const int pairs = (max_port - first + 1) / 2;
  const bool ranged = min_port != 0 || max_port != 0;
  if (ranged && pairs < 1) return {Code::invalid, "the range of media ports holds no pair"};

  std::minstd_rand random{std::random_device{}()};
  const int start = ranged ? static_cast<int>(random() % static_cast<unsigned>(pairs)) : 0;
  const int tries = ranged ? pairs : kKernelPortTries;
  for (int i = 0; i < tries; ++i) {
    const int wanted = ranged ? first + 2 * ((start + i) % pairs) : 0;
    Descriptor rtp = bind_udp(local.with_port(static_cast<uint16_t>(wanted)));
    if (!rtp) {
      if (errno == EADDRINUSE || errno == EACCES) continue;
      return {Code::unavailable, std::string("no media socket: ") + std::strerror(errno)};
    }
    const uint16_t port = bound_port(rtp.get());
    if ((port & 1) != 0 || port == 0) continue;
    Descriptor rtcp = bind_udp(local.with_port(static_cast<uint16_t>(port + 1)));
    if (!rtcp) continue;
    return RtpSocket(std::move(rtp), std::move(rtcp), local.family(), port);
  }
  return {Code::exhausted, "no pair of media ports is free"};
}

void RtpSocket::accept_only(const SocketAddress* peers, size_t count) noexcept {
  (void)attach_peer_address_filter(rtp_.get(), peers, count);
  (void)attach_peer_address_filter(rtcp_.get(), peers, count);
}

uint64_t RtpSocket::dropped() const noexcept {
  return uint64_t{drops_of(rtp_.get())} + drops_of(rtcp_.get());
}

// One datagram per call, because recvmmsg() costs more for the one or two that usually wait.
bool RtpSocket::receive(Channel channel, Datagram& out) noexcept {
  const int fd = (channel == Channel::rtp ? rtp_ : rtcp_).get();
  // Repeated, because the kernel first reports the ICMP errors of earlier sends, one per call.
  for (int attempt = 0; attempt < 4; ++attempt) {
    sockaddr_storage sender;
    socklen_t sender_size = sizeof(sender);
    // MSG_TRUNC: returns the size of the datagram, even if it is too long.
    const ssize_t got = ::recvfrom(fd, out.data.data(), out.data.size(), MSG_DONTWAIT | MSG_TRUNC,
                                   reinterpret_cast<sockaddr*>(&sender), &sender_size);
    if (got >= 0) {
      out.size = static_cast<size_t>(got) > out.data.size() ? 0 : static_cast<size_t>(got);
      out.sender = SocketAddress::from(sender);
      return true;
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK) return false;
  }
  return false;
}

bool RtpSocket::send(Channel channel, const SocketAddress& to, const uint8_t* data, size_t size) noexcept {
  if (to.family() != family_ || to.port() == 0) return false;
  const int fd = (channel == Channel::rtp ? rtp_ : rtcp_).get();
  sockaddr_storage storage;
  const socklen_t length = to.fill(storage);
  return ::sendto(fd, data, size, MSG_DONTWAIT | MSG_NOSIGNAL, reinterpret_cast<sockaddr*>(&storage),
                  length) == static_cast<ssize_t>(size);
}

}  // namespace patchbay::lib
