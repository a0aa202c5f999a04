#include "rate/address_key.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>

namespace patchbay::lib {
namespace {

std::string prefix_of(std::string_view address, size_t bytes) {
  if (address.find(':') == std::string_view::npos) return std::string(address);  // not an IPv6 address
  const std::string text(address.substr(0, address.find('%')));                  // without a zone
  in6_addr v6{};
  if (inet_pton(AF_INET6, text.c_str(), &v6) != 1) return std::string(address);
  char out[INET6_ADDRSTRLEN] = {};
  if (IN6_IS_ADDR_V4MAPPED(&v6)) {
    inet_ntop(AF_INET, v6.s6_addr + 12, out, sizeof out);
    return out;
  }
  std::fill(v6.s6_addr + bytes, v6.s6_addr + sizeof v6.s6_addr, uint8_t{0});
  inet_ntop(AF_INET6, &v6, out, sizeof out);
  return std::string(out) + "/" + std::to_string(8 * bytes);
}

}  // namespace

std::string address_key(std::string_view address) { return prefix_of(address, 8); }
std::string site_key(std::string_view address) { return prefix_of(address, 6); }

}  // namespace patchbay::lib
