// Computes where requests inside an answered dialog go (RFC 3261 section 12.2.1.1). sip thread.
#pragma once

#include <sys/socket.h>

#include <string>
#include <vector>

#include "rtp/address.h"
#include "stack/sofia.h"
#include "stack/transport.h"

namespace patchbay::sip_trunk {

// What the message of the peer that makes the dialog establishes: the route set, the remote target, and the
// next hop.
struct DialogRoute {
  std::string to;                   // To of our requests, with the peer's tag
  std::string target;               // from Contact, or the URI of the INVITE if that is unusable
  std::vector<std::string> routes;  // Route header values, first hop first
  std::string next_hop;             // URL with a numeric host, for NUTAG_PROXY
};

// The transports that requests of a dialog may use, in one address family: UDP and optionally TCP; or, in a
// dialog that began over TLS, nothing else.
struct OpenTransports {
  int family = AF_INET;
  bool tcp = false;
  bool tls_only = false;
  std::string tls_host{};  // that certificates must be for; empty: only the fallback can be used
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

// "sip:192.0.2.1:5060;transport=udp". With TLS and a host name, that the certificate must be for,
// "sip:sip.example:5061;transport=tls;maddr=192.0.2.1": sofia-sip sends to maddr.
std::string numeric_url(const lib::SocketAddress& address, Transport transport, const std::string& host = "");

// The transport, and the host for TLS, of such a URL.
struct Hop {
  Transport transport = Transport::udp;
  lib::SocketAddress address{};  // invalid: it is no such URL
  std::string host{};
};
Hop hop_of_url(const std::string& url);

}  // namespace patchbay::sip_trunk
