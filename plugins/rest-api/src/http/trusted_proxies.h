// The proxies whose X-Forwarded-For, -Proto and -Host are trusted.
#pragma once

#include <patchbay/result.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay::rest_api {

struct Request;

class TrustedProxies {
 public:
  // Parses addresses and networks: "192.0.2.7", "10.0.0.0/8", "2001:db8::/32"; "unix" is every Unix socket.
  static Result<TrustedProxies> parse(const std::vector<std::string>& networks);

  // Reads an IPv4-mapped IPv6 address as the IPv4 address.
  bool contains(std::string_view address) const noexcept;
  bool empty() const noexcept { return networks_.empty() && !unix_; }

  // The client behind the proxies: the rightmost address of `forwarded_for` that is not trusted; `peer` if
  // that is not trusted. Stops at an entry that is not an address.
  std::string client(std::string_view peer, std::string_view forwarded_for) const;

  // Sets client, secure and host of a request from its X-Forwarded fields; no-op if its peer is not trusted.
  // Of Proto and Host the value counts that the nearest proxy wrote.
  void apply_forwarded(Request& request) const;

 private:
  struct Network {
    std::array<uint8_t, 16> address{};
    unsigned bits = 128;
  };

  std::vector<Network> networks_;
  bool unix_ = false;
};

}  // namespace patchbay::rest_api
