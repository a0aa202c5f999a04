// The loopback address of a port.
#pragma once

#include <arpa/inet.h>

#include <cstdint>

namespace patchbay::bench {

inline sockaddr_in loopback(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

}  // namespace patchbay::bench
