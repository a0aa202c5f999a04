#include "authority.h"

#include <arpa/inet.h>
#include <patchbay/percent_encoding.h>
#include <patchbay/text.h>

#include <algorithm>

namespace patchbay::rest_api {
namespace {

bool is_one_of(char c, std::string_view set) noexcept { return set.find(c) != std::string_view::npos; }
bool is_pchar(char c) noexcept { return is_unreserved(c) || is_one_of(c, "%!$&'()*+,;=:@"); }

bool is_port(std::string_view port) noexcept {
  return port.size() <= 5 && std::all_of(port.begin(), port.end(), is_digit) &&
         (port.empty() || std::stoul(std::string(port)) <= 65535);
}

}  // namespace

std::optional<std::string> parse_authority(std::string_view authority) {
  std::string_view host = authority;
  std::string_view port;
  if (!authority.empty() && authority.front() == '[') {
    const auto close = authority.find(']');
    if (close == std::string_view::npos) return {};
    host = authority.substr(0, close + 1);
    const auto rest = authority.substr(close + 1);
    if (!rest.empty() && rest.front() != ':') return {};
    port = rest.empty() ? rest : rest.substr(1);
    in6_addr address;
    if (inet_pton(AF_INET6, std::string(host.substr(1, host.size() - 2)).c_str(), &address) != 1) return {};
  } else {
    const auto colon = authority.find(':');
    host = authority.substr(0, colon);
    if (colon != std::string_view::npos) port = authority.substr(colon + 1);
    if (!std::all_of(host.begin(), host.end(), is_unreserved)) return {};
    if (!host.empty() && host.back() == '.') host.remove_suffix(1);
  }
  if (host.empty() || host.size() > 255 || !is_port(port)) return {};
  return to_lower(host);
}

bool is_path(std::string_view path) noexcept {
  return std::all_of(path.begin(), path.end(), [](char c) { return is_pchar(c) || c == '/'; });
}

bool is_query(std::string_view query) noexcept {
  return std::all_of(query.begin(), query.end(), [](char c) {
    return is_pchar(c) || is_one_of(c, "/?[]|");
  });  // the last three because common clients send them unescaped
}

}  // namespace patchbay::rest_api
