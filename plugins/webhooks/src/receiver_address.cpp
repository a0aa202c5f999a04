#include "receiver_address.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>

#include <array>
#include <cstdint>
#include <cstring>

namespace patchbay::webhooks {
namespace {

struct Block {
  uint32_t network;
  int bits;
};

constexpr uint32_t ip(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  return a << 24 | b << 16 | c << 8 | d;
}

// The blocks of the IANA special-purpose registry (RFC 6890) that are not on the Internet.
constexpr std::array<Block, 15> kRefused{{
    {ip(0, 0, 0, 0), 8},        // this network
    {ip(10, 0, 0, 0), 8},       // private
    {ip(100, 64, 0, 0), 10},    // shared, behind carrier NAT; some clouds' metadata
    {ip(127, 0, 0, 0), 8},      // loopback
    {ip(169, 254, 0, 0), 16},   // link-local; cloud metadata
    {ip(172, 16, 0, 0), 12},    // private
    {ip(192, 0, 0, 0), 24},     // protocol assignments; one cloud's metadata
    {ip(192, 0, 2, 0), 24},     // documentation
    {ip(192, 88, 99, 0), 24},   // 6to4 relays
    {ip(192, 168, 0, 0), 16},   // private
    {ip(198, 18, 0, 0), 15},    // benchmarks
    {ip(198, 51, 100, 0), 24},  // documentation
    {ip(203, 0, 113, 0), 24},   // documentation
    {ip(224, 0, 0, 0), 4},      // multicast
    {ip(240, 0, 0, 0), 4},      // reserved, broadcast
}};

bool is_public_v4(uint32_t address) {
  for (const Block& block : kRefused) {
    if ((address ^ block.network) >> (32 - block.bits) == 0) return false;
  }
  return true;
}

bool is_public_v6(const in6_addr& address) {
  const uint8_t* b = address.s6_addr;
  static constexpr uint8_t kNat64[12] = {0, 0x64, 0xff, 0x9b};  // 64:ff9b::/96, RFC 6052
  if (std::memcmp(b, kNat64, sizeof kNat64) == 0) return is_public_v4(ip(b[12], b[13], b[14], b[15]));
  if (b[0] >> 5 != 1) return false;  // only 2000::/3 is global unicast
  const bool teredo = b[0] == 0x20 && b[1] == 0x01 && b[2] == 0 && b[3] == 0;
  const bool six_to_four = b[0] == 0x20 && b[1] == 0x02;
  const bool documentation = (b[0] == 0x20 && b[1] == 0x01 && b[2] == 0x0d && b[3] == 0xb8) ||
                             (b[0] == 0x3f && b[1] == 0xff && b[2] >> 4 == 0);
  return !teredo && !six_to_four && !documentation;
}

// The bytes of an IPv4 or IPv6 address, of an IPv4-mapped one those of the IPv4 address; "" for others.
std::string bytes_of(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &address, sizeof v4);
    return {reinterpret_cast<const char*>(&v4.sin_addr), sizeof v4.sin_addr};
  }
  if (address.sa_family != AF_INET6) return {};
  sockaddr_in6 v6{};
  std::memcpy(&v6, &address, sizeof v6);
  const std::string bytes(reinterpret_cast<const char*>(&v6.sin6_addr), sizeof v6.sin6_addr);
  return IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr) ? bytes.substr(12) : bytes;
}

}  // namespace

bool is_own(const sockaddr& address) {
  const std::string wanted = bytes_of(address);
  ifaddrs* all = nullptr;
  if (wanted.empty()) return false;
  if (getifaddrs(&all) != 0) return true;
  bool own = false;
  for (const ifaddrs* one = all; one != nullptr && !own; one = one->ifa_next)
    own = one->ifa_addr != nullptr && bytes_of(*one->ifa_addr) == wanted;
  freeifaddrs(all);
  return own;
}

bool is_own_text(const std::string& address) {
  sockaddr_storage parsed{};
  auto* v4 = reinterpret_cast<sockaddr_in*>(&parsed);
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&parsed);
  if (inet_pton(AF_INET, address.c_str(), &v4->sin_addr) == 1) {
    parsed.ss_family = AF_INET;
  } else if (inet_pton(AF_INET6, address.substr(0, address.find('%')).c_str(), &v6->sin6_addr) == 1) {
    parsed.ss_family = AF_INET6;
  }
  return is_own(reinterpret_cast<const sockaddr&>(parsed));
}

bool is_public(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &address, sizeof v4);
    return is_public_v4(ntohl(v4.sin_addr.s_addr));
  }
  if (address.sa_family == AF_INET6) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, &address, sizeof v6);
    return is_public_v6(v6.sin6_addr);
  }
  return false;
}

bool is_public_text(const std::string& address) {
  in_addr v4{};
  if (inet_pton(AF_INET, address.c_str(), &v4) == 1) return is_public_v4(ntohl(v4.s_addr));
  in6_addr v6{};
  const std::string without_zone = address.substr(0, address.find('%'));
  return inet_pton(AF_INET6, without_zone.c_str(), &v6) == 1 && is_public_v6(v6);
}

bool is_ip_text(const std::string& host) {
  in6_addr any{};
  return inet_pton(AF_INET, host.c_str(), &any) == 1 ||
         inet_pton(AF_INET6, host.substr(0, host.find('%')).c_str(), &any) == 1;
}

}  // namespace patchbay::webhooks
