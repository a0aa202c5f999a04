// The address of the peers in these tests.
#pragma once

#include <algorithm>
#include <cstdint>

#include "rtp/socket.h"

inline patchbay::lib::SocketAddress loopback(uint16_t port = 0) {
  return *patchbay::lib::SocketAddress::parse("127.0.0.1", port);
}

// Receives the next datagram of `socket`, truncated to `capacity`. Returns -1 if none is waiting.
inline ptrdiff_t receive_one(patchbay::lib::RtpSocket& socket, patchbay::lib::RtpSocket::Channel channel,
                             uint8_t* data, size_t capacity, patchbay::lib::SocketAddress& sender) {
  patchbay::lib::Datagram datagram;
  if (!socket.receive(channel, datagram)) return -1;
  std::copy_n(datagram.data.begin(), std::min(capacity, datagram.size), data);
  sender = datagram.sender;
  return static_cast<ptrdiff_t>(datagram.size);
}
