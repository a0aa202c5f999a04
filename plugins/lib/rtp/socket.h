// A pair of UDP sockets, RTP on an even port and RTCP on the next one (RFC 3550 section 11). Non-blocking;
// after open() nothing allocates. Used by one thread at a time.
#pragma once

#include <patchbay/descriptor.h>
#include <patchbay/result.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "rtp/address.h"

namespace patchbay::lib {

struct Datagram {
  std::array<uint8_t, 2048> data;
  size_t size = 0;  // 0 also for a datagram that is too long
  SocketAddress sender;
};

class RtpSocket {
 public:
  // Binds a pair within [min_port, max_port] on `local`, whose port is ignored; the kernel chooses the ports
  // if both are 0. Code::exhausted: the range has no free pair.
  static Result<RtpSocket> open(const SocketAddress& local, uint16_t min_port, uint16_t max_port);

  enum class Channel { rtp, rtcp };

  uint16_t rtp_port() const noexcept { return port_; }
  int descriptor(Channel channel) const noexcept { return (channel == Channel::rtp ? rtp_ : rtcp_).get(); }

  // Makes the kernel drop datagrams from all other hosts; at most 16 peers, invalid ones are ignored. No
  // effect if the kernel refuses the filter.
  void accept_only(const SocketAddress* peers, size_t count) noexcept;

  // Datagrams that the kernel has dropped so far: from other hosts, and beyond the buffer. 0 if the kernel
  // does not report it. Any thread.
  uint64_t dropped() const noexcept;

  // Receives the oldest waiting datagram. Returns false if there is none.
  bool receive(Channel channel, Datagram& out) noexcept;

  // Returns false if the kernel did not accept the datagram; media is never sent again.
  bool send(Channel channel, const SocketAddress& to, const uint8_t* data, size_t size) noexcept;

 private:
  RtpSocket(Descriptor rtp, Descriptor rtcp, int family, uint16_t port) noexcept
      : rtp_(std::move(rtp)), rtcp_(std::move(rtcp)), family_(family), port_(port) {}

  Descriptor rtp_;
  Descriptor rtcp_;
  int family_ = AF_INET;
  uint16_t port_ = 0;
};

}  // namespace patchbay::lib
