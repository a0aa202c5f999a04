// The address that the peers of these tests have.
#pragma once

#include <cstdint>

#include "rtp/socket.h"

inline patchbay::lib::SocketAddress loopback(uint16_t port = 0) {
  return *patchbay::lib::SocketAddress::parse("127.0.0.1", port);
}
