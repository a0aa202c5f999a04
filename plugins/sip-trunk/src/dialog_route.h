// Where the requests of an answered dialog go (RFC 3261 section 12.2.1.1). sip thread.
#pragma once

#include <sys/socket.h>

#include <string>
#include <vector>

#include "rtp/address.h"
#include "sofia.h"

namespace patchbay::sip_trunk {

// What an answer establishes: the route set, the remote target, and the next hop.
struct DialogRoute {
  std::string to;                   // header value of To, with the peer's tag
  std::string target;               // Contact, or the URI of the INVITE without a usable one
  std::vector<std::string> routes;  // Route header values, first hop first
  std::string next_hop;             // URL with a numeric host, for NUTAG_PROXY
};

// What the stack can send over: UDP, always, and perhaps TCP, to addresses of one family.
struct OpenTransports {
  int family = AF_INET;
  bool tcp = false;
};

// `fallback` is the URL that the INVITE went to: requests go there when the peer names itself by a host name,
// which sofia-sip must not resolve (its resolver blocks and can spin), by an address that no open transport
// leads to, or by no address at all. `uri` is the request URI of the INVITE.
DialogRoute dialog_route(const sip_t& answer, const std::string& uri, const std::string& fallback,
                         const OpenTransports& open);

// The URL of the address that the answer names for what follows, as in DialogRoute; empty without one that an
// open transport leads to.
std::string next_hop(const sip_t& answer, const OpenTransports& open);

// The address in such a URL; invalid for anything else.
lib::SocketAddress address_of_url(const std::string& url);

// "sip:192.0.2.1:5060;transport=udp"
std::string numeric_url(const lib::SocketAddress& address, bool tcp);

}  // namespace patchbay::sip_trunk
