// Checks the addresses of receivers. Applied to the address of the connection, so that neither a changed DNS
// record nor an unusual spelling evades it.
#pragma once

#include <sys/socket.h>

#include <string>

namespace patchbay::webhooks {

// False for loopback, private, shared, link-local (cloud metadata), unique-local, multicast, reserved,
// unspecified and documentation addresses, and for IPv6 forms that carry an IPv4 address (mapped, 6to4,
// Teredo), NAT64 of a public one excepted. Only AF_INET and AF_INET6 can be public.
bool is_public(const sockaddr& address);

// Whether an interface of this machine has the address. It may lead to services that a firewall in front of
// the machine protects. Also true when the interfaces cannot be listed.
bool is_own(const sockaddr& address);

// The same for an address in text form. An invalid one is not public.
bool is_public_text(const std::string& address);
bool is_own_text(const std::string& address);

// Whether the host of a URL is an IP address in text form, without brackets.
bool is_ip_text(const std::string& host);

}  // namespace patchbay::webhooks
