// Computes where requests inside an answered dialog go (RFC 3261 section 12.2.1.1). sip thread.
#pragma once

#include <sys/socket.h>

#include <string>
#include <vector>

#include "rtp/address.h"
#include "sofia.h"

namespace patchbay::sip_trunk {

// What the message of the peer that makes the dialog establishes: the route set, the remote target, and the
// next hop.
struct DialogRoute {
  std::string to;                   // To of our requests, with the peer's tag
  std::string target;               // from Contact, or the URI of the INVITE if that is unusable
  std::vector<std::string> routes;  // Route header values, first hop first
  std::string next_hop;             // URL with a numeric host, for NUTAG_PROXY
};

// The transports that the stack listens on: UDP and optionally TCP, in one address family.
struct OpenTransports {
  int family = AF_INET;
  bool tcp = false;
};

// Reads the route from a 2xx. `fallback` is the URL that the INVITE was sent to: requests go there if the
// answer names a host name, which sofia-sip must not resolve (its resolver blocks and can spin), an address
// that no open transport reaches, or no address. `uri` is the request URI of the INVITE.
DialogRoute dialog_route(const sip_t& answer, const std::string& uri, const std::string& fallback,
                         const OpenTransports& open);

// Reads the route from an INVITE that a peer sent (RFC 3261 section 12.1.1). `fallback`: as above.
DialogRoute inbound_route(const sip_t& invite, const std::string& fallback, const OpenTransports& open);

// Returns the URL of the address that the answer names for later requests, as in DialogRoute; empty if no
// open transport reaches it.
std::string next_hop(const sip_t& answer, const OpenTransports& open);

// Returns the address in such a URL; invalid for any other URL.
lib::SocketAddress address_of_url(const std::string& url);

// "sip:192.0.2.1:5060;transport=udp"
std::string numeric_url(const lib::SocketAddress& address, bool tcp);

}  // namespace patchbay::sip_trunk
