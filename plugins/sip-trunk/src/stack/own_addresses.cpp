#include "stack/own_addresses.h"

#include <patchbay/descriptor.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace patchbay::sip_trunk {
namespace {

// Checks that the address can be bound, because sofia-sip reports no reason and leaks when it cannot.
Status probe(const lib::SocketAddress& address, bool tcp) {
  sockaddr_storage storage;
  const socklen_t size = address.fill(storage);
  for (int type : {SOCK_DGRAM, SOCK_STREAM}) {
    if (type == SOCK_STREAM && !tcp) break;
    const Descriptor fd(::socket(address.family(), type | SOCK_CLOEXEC, 0));
    const int reuse = 1;
    if (type == SOCK_STREAM) (void)::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof(reuse));
    const int error = fd && ::bind(fd.get(), reinterpret_cast<sockaddr*>(&storage), size) == 0 ? 0 : errno;
    if (error != 0)
      return {Code::unavailable, "SIP cannot listen on " + address.text() + ": " + std::strerror(error)};
  }
  return {};
}

// Returns a TCP port that is free now.
Result<uint16_t> free_port(const lib::SocketAddress& address) {
  sockaddr_storage storage;
  socklen_t size = address.with_port(0).fill(storage);
  const Descriptor fd(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd || ::bind(fd.get(), reinterpret_cast<sockaddr*>(&storage), size) != 0 ||
      ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&storage), &size) != 0)
    return {Code::unavailable, std::string("SIP cannot listen for TLS: ") + std::strerror(errno)};
  return lib::SocketAddress::from(storage).port();
}

std::string bracketed(const std::string& ip) {
  return ip.find(':') != std::string::npos ? "[" + ip + "]" : ip;
}

}  // namespace

Status OwnAddresses::choose() {
  const auto address = lib::SocketAddress::parse(options_.listen_ip, options_.listen_port);
  if (!address) return {Code::invalid, "listen address: not a numeric IP address"};
  if (options_.tls) PB_TRY(choose_ports(*address));
  PB_TRY(probe(address->with_port(options_.listen_port), options_.tcp));
  return choose_advertised(*address);
}

// With TLS sofia-sip does not say which port it has chosen for the other transports.
Status OwnAddresses::choose_ports(const lib::SocketAddress& listen) {
  if (options_.tls_port == 0 && options_.listen_port != 0 && options_.listen_port != 65535)
    options_.tls_port = static_cast<uint16_t>(options_.listen_port + 1);
  if (options_.tls_port == 0) {
    PB_TRY_VALUE(options_.tls_port, free_port(listen));
  }
  while (options_.listen_port == 0) {
    PB_TRY_VALUE(const uint16_t port, free_port(listen));
    if (port != options_.tls_port && probe(listen.with_port(port), true)) options_.listen_port = port;
  }
  return probe(listen.with_port(options_.tls_port), true);
}

// Chooses the address in Via and Contact, which peers must be able to reach.
Status OwnAddresses::choose_advertised(const lib::SocketAddress& listen) {
  if (!options_.advertise.empty()) {
    const auto shown = lib::SocketAddress::parse(options_.advertise, 0);
    if (!shown || shown->family() != listen.family() || shown->is_unspecified())
      return {Code::invalid, "advertise: not a numeric address of the family of the listen address"};
    return {};
  }
  if (!listen.is_unspecified()) return {};
  contact_per_trunk_ = true;
  const bool v6 = listen.family() == AF_INET6;
  const auto anywhere = lib::SocketAddress::parse(v6 ? "2001:db8::1" : "192.0.2.1", 9);
  const auto towards =
      lib::local_address_towards(options_.allowed_peers.empty() ? *anywhere : options_.allowed_peers[0]);
  options_.advertise = towards ? towards->ip_text() : v6 ? "::1" : "127.0.0.1";
  return {};
}

std::string OwnAddresses::listen_url() const {
  const std::string port = options_.listen_port == 0 ? "*" : std::to_string(options_.listen_port);
  std::string url = "sip:" + bracketed(shown()) + ":" + port;
  // sofia-sip binds to maddr and shows the host.
  if (!options_.advertise.empty()) url += ";maddr=" + bracketed(options_.listen_ip);
  if (!options_.tcp) url += ";transport=udp";
  return url;
}

std::string OwnAddresses::listen_tls_url() const {
  return "sips:" + bracketed(shown()) + ":" + std::to_string(options_.tls_port) +
         ";maddr=" + bracketed(options_.listen_ip);
}

std::string OwnAddresses::contact_for(const lib::SocketAddress& target, Transport transport,
                                      uint16_t port) const {
  // With TLS open sofia-sip would show its address for that as a sips: URI, over any transport.
  if (!contact_per_trunk_ && transport != Transport::tls && !options_.tls) return {};
  return contact_uri(target, transport, port, "");
}

std::string OwnAddresses::contact_uri(const lib::SocketAddress& target, Transport transport, uint16_t port,
                                      const std::string& user) const {
  const auto local =
      contact_per_trunk_ ? lib::local_address_towards(target) : lib::SocketAddress::parse(shown(), 0);
  if (!local) return {};
  const std::string parameter =
      transport != Transport::udp ? std::string(";transport=") + name_of(transport) : std::string();
  if (transport == Transport::tls) port = options_.tls_port;
  return "<sip:" + user + (user.empty() ? "" : "@") + local->with_port(port).text() + parameter + ">";
}

}  // namespace patchbay::sip_trunk
