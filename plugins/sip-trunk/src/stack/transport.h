// The transports of SIP.
#pragma once

#include <cstdint>

namespace patchbay::sip_trunk {

enum class Transport { udp, tcp, tls };

// As in the transport parameter of a SIP URI.
constexpr const char* name_of(Transport transport) {
  return transport == Transport::udp ? "udp" : transport == Transport::tcp ? "tcp" : "tls";
}

// RFC 3261 section 19.1.2.
constexpr uint16_t default_port(Transport transport) { return transport == Transport::tls ? 5061 : 5060; }

}  // namespace patchbay::sip_trunk
