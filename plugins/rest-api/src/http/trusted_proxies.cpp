#include "trusted_proxies.h"

#include <arpa/inet.h>
#include <patchbay/text.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "authority.h"
#include "exchange.h"

namespace patchbay::rest_api {
namespace {

using Address = std::array<uint8_t, 16>;

// Maps IPv4 to ::ffff:0:0/96, so that one comparison serves both.
std::optional<Address> parse_address(std::string_view text, bool* is_v4 = nullptr) {
  char buffer[INET6_ADDRSTRLEN + 1];
  if (text.empty() || text.size() >= sizeof buffer) return {};
  std::memcpy(buffer, text.data(), text.size());
  buffer[text.size()] = '\0';
  Address address{};
  if (inet_pton(AF_INET, buffer, address.data() + 12) == 1) {
    address[10] = address[11] = 0xff;
    if (is_v4 != nullptr) *is_v4 = true;
    return address;
  }
  if (inet_pton(AF_INET6, buffer, address.data()) != 1) return {};
  return address;
}

bool matches(const Address& address, const Address& network, unsigned bits) noexcept {
  const unsigned whole = bits / 8;
  if (!std::equal(address.begin(), address.begin() + whole, network.begin())) return false;
  const unsigned rest = bits % 8;
  return rest == 0 || ((address[whole] ^ network[whole]) >> (8 - rest)) == 0;
}

// Some proxies write "192.0.2.7:4711" and "[2001:db8::7]:4711".
std::string_view without_port(std::string_view hop) noexcept {
  if (!hop.empty() && hop.front() == '[') {
    const auto close = hop.find(']');
    return close == std::string_view::npos ? hop : hop.substr(1, close - 1);
  }
  const auto colon = hop.find(':');
  return colon == hop.rfind(':') ? hop.substr(0, colon) : hop;
}

// The value that the nearest proxy wrote. Proxies append, so earlier values may come from the client.
std::optional<std::string_view> last_value(const Request& request, std::string_view name) {
  std::optional<std::string_view> last;
  for (const auto& field : request.headers)
    if (field.name == name) last = field.value;
  if (!last) return last;
  last->remove_prefix(last->rfind(',') + 1);  // npos + 1 is 0
  while (!last->empty() && (last->front() == ' ' || last->front() == '\t')) last->remove_prefix(1);
  return last;
}

}  // namespace

Result<TrustedProxies> TrustedProxies::parse(const std::vector<std::string>& networks) {
  TrustedProxies proxies;
  for (const auto& text : networks) {
    if (text == "unix") {
      proxies.unix_ = true;
      continue;
    }
    const auto slash = text.find('/');
    bool is_v4 = false;
    const auto address = parse_address(std::string_view(text).substr(0, slash), &is_v4);
    if (!address) return {Code::invalid, "trusted proxy " + text + ": not an address"};
    Network network{*address, 128};
    if (slash != std::string::npos) {
      const auto* first = text.data() + slash + 1;
      const auto* last = text.data() + text.size();
      unsigned bits = 0;
      const auto [end, error] = std::from_chars(first, last, bits);
      if (error != std::errc() || end != last || bits > (is_v4 ? 32U : 128U))
        return {Code::invalid, "trusted proxy " + text + ": not a prefix length"};
      network.bits = is_v4 ? bits + 96 : bits;
    }
    proxies.networks_.push_back(network);
  }
  return proxies;
}

bool TrustedProxies::contains(std::string_view address) const noexcept {
  if (address == "unix") return unix_;
  if (networks_.empty()) return false;
  const auto parsed = parse_address(address);
  return parsed && std::any_of(networks_.begin(), networks_.end(), [&](const Network& network) {
           return matches(*parsed, network.address, network.bits);
         });
}

std::string TrustedProxies::client(std::string_view peer, std::string_view forwarded_for) const {
  std::string_view client = peer;
  while (contains(client) && !forwarded_for.empty()) {
    const auto comma = forwarded_for.rfind(',');
    const auto hop = trim(forwarded_for.substr(comma == std::string_view::npos ? 0 : comma + 1), " \t");
    forwarded_for = comma == std::string_view::npos ? std::string_view() : forwarded_for.substr(0, comma);
    const auto address = without_port(hop);
    if (!parse_address(address)) break;
    client = address;
  }
  return std::string(client);
}

void TrustedProxies::apply_forwarded(Request& request) const {
  if (!contains(request.peer)) return;
  std::string forwarded_for;
  for (const auto& [name, value] : request.headers)
    if (name == "x-forwarded-for") forwarded_for.append(forwarded_for.empty() ? "" : ",").append(value);
  request.client = client(request.peer, forwarded_for);
  if (const auto scheme = last_value(request, "x-forwarded-proto"))
    request.secure = equals_ignoring_case(*scheme, "https");
  if (const auto host = last_value(request, "x-forwarded-host"))
    if (auto name = parse_authority(*host)) request.host = std::move(*name);
}

}  // namespace patchbay::rest_api
