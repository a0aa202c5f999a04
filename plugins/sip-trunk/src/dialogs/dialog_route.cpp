#include "dialogs/dialog_route.h"

#include <strings.h>

#include <cstdlib>
#include <memory>
#include <optional>

#include "stack/header_text.h"

namespace patchbay::sip_trunk {
namespace {

// Returns the transport of a sip: or sips: URI; none: an unknown one.
std::optional<Transport> transport_of(const url_t& url) {
  if (url.url_type != url_sip && url.url_type != url_sips) return std::nullopt;
  char name[16];
  if (url_param(url.url_params, "transport", name, sizeof(name)) > 0) {
    if (strcasecmp(name, "tls") == 0) return Transport::tls;
    if (strcasecmp(name, "tcp") == 0) return url.url_type == url_sips ? Transport::tls : Transport::tcp;
    if (strcasecmp(name, "udp") != 0) return std::nullopt;
  }
  return url.url_type == url_sips ? Transport::tls : Transport::udp;
}

// Returns the numeric address of the URL's maddr or else its host; invalid: none.
lib::SocketAddress numeric_host(const url_t& url) {
  char maddr[64];
  std::string host = url.url_host != nullptr ? url.url_host : "";
  if (url_param(url.url_params, "maddr", maddr, sizeof(maddr)) > 0) host = maddr;
  if (host.size() > 2 && host.front() == '[') host = host.substr(1, host.size() - 2);
  const bool tls = transport_of(url) == Transport::tls;
  const long port = url.url_port != nullptr ? std::strtol(url.url_port, nullptr, 10) : tls ? 5061 : 5060;
  if (port <= 0 || port > 65535) return {};
  const auto address = lib::SocketAddress::parse(host, static_cast<uint16_t>(port));
  if (!address || address->kind() == lib::AddressKind::unspecified ||
      address->kind() == lib::AddressKind::multicast)
    return {};
  return *address;
}

// Returns the URL to send to; empty unless `url` is a sip: URI with a numeric address that an open transport
// reaches.
std::string hop_of(const url_t& url, const OpenTransports& open) {
  const auto transport = transport_of(url);
  if (!transport) return {};
  const bool is_open = *transport == Transport::tls   ? open.tls_only && !open.tls_host.empty()
                       : *transport == Transport::tcp ? open.tcp && !open.tls_only
                                                      : !open.tls_only;
  const lib::SocketAddress address = numeric_host(url);
  if (!is_open || !address.valid() || address.family() != open.family) return {};
  return numeric_url(address, *transport, open.tls_host);
}

std::string text_of(const url_t& url) {
  su_home_t home[1] = {SU_HOME_INIT(home)};
  const char* text = url_as_string(home, &url);
  std::string out = text != nullptr ? text : "";
  su_home_deinit(home);
  return out;
}

}  // namespace

std::string numeric_url(const lib::SocketAddress& address, Transport transport, const std::string& host) {
  const std::string parameter = std::string(";transport=") + name_of(transport);
  if (transport != Transport::tls || host.empty() || lib::SocketAddress::parse(host, 0))
    return "sip:" + address.text() + parameter;
  const bool v6 = address.family() == AF_INET6;
  const std::string ip = v6 ? "[" + address.ip_text() + "]" : address.ip_text();
  return "sip:" + host + ":" + std::to_string(address.port()) + parameter + ";maddr=" + ip;
}

Hop hop_of_url(const std::string& url) {
  Hop hop;
  su_home_t home[1] = {SU_HOME_INIT(home)};
  if (const url_t* parsed = url_make(home, url.c_str())) {
    hop.transport = transport_of(*parsed).value_or(Transport::udp);
    hop.address = numeric_host(*parsed);
    hop.host = parsed->url_host != nullptr ? parsed->url_host : "";
    if (hop.host.size() > 2 && hop.host.front() == '[') hop.host = hop.host.substr(1, hop.host.size() - 2);
  }
  su_home_deinit(home);
  return hop;
}

std::string next_hop(const sip_t& answer, const OpenTransports& open) {
  const sip_record_route_t* route = answer.sip_record_route;
  // The last Record-Route is our first hop (RFC 3261 section 12.1.2).
  while (route != nullptr && route->r_next != nullptr) route = route->r_next;
  if (route != nullptr) return hop_of(*route->r_url, open);
  return answer.sip_contact != nullptr ? hop_of(*answer.sip_contact->m_url, open) : std::string();
}

DialogRoute dialog_route(const sip_t& answer, const std::string& uri, const std::string& fallback,
                         const OpenTransports& open) {
  DialogRoute route;
  route.to = header_text(answer.sip_to);
  for (const sip_record_route_t* next = answer.sip_record_route; next != nullptr; next = next->r_next)
    route.routes.insert(route.routes.begin(), "<" + text_of(*next->r_url) + ">");
  const bool has_contact = answer.sip_contact != nullptr && answer.sip_contact->m_url->url_type == url_sip;
  route.target = has_contact ? text_of(*answer.sip_contact->m_url) : uri;
  route.next_hop = next_hop(answer, open);
  if (route.next_hop.empty()) route.next_hop = fallback;
  return route;
}

DialogRoute inbound_route(const sip_t& invite, const std::string& fallback, const OpenTransports& open) {
  DialogRoute route;
  route.to = header_text(invite.sip_from);
  for (const sip_record_route_t* next = invite.sip_record_route; next != nullptr; next = next->r_next)
    route.routes.push_back("<" + text_of(*next->r_url) + ">");
  const bool has_contact = invite.sip_contact != nullptr && invite.sip_contact->m_url->url_type == url_sip;
  route.target = has_contact ? text_of(*invite.sip_contact->m_url) : fallback;
  const url_t* hop = invite.sip_record_route != nullptr ? invite.sip_record_route->r_url
                     : has_contact                      ? invite.sip_contact->m_url
                                                        : nullptr;
  if (hop != nullptr) route.next_hop = hop_of(*hop, open);
  if (route.next_hop.empty()) route.next_hop = fallback;
  return route;
}

}  // namespace patchbay::sip_trunk
