// X-Forwarded-For, -Proto and -Host count only from proxies that the configuration names.
#pragma once

#include <patchbay/result.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay::rest_api {

class TrustedProxies {
 public:
  // Addresses and networks: "192.0.2.7", "10.0.0.0/8", "2001:db8::/32", "unix" for what comes by a Unix
  // socket.
  static Result<TrustedProxies> parse(const std::vector<std::string>& networks);

  // An IPv4 address mapped into IPv6 is the IPv4 address.
  bool contains(std::string_view address) const noexcept;
  bool empty() const noexcept { return networks_.empty() && !unix_; }

  // The client for whom trusted proxies forward: the rightmost address of `forwarded_for` that is not one of
  // them. `peer` itself when it is not trusted, or when the list stops making sense.
  std::string client(std::string_view peer, std::string_view forwarded_for) const;

 private:
  struct Network {
    std::array<uint8_t, 16> address{};
    unsigned bits = 128;
  };

  std::vector<Network> networks_;
  bool unix_ = false;
};

}  // namespace patchbay::rest_api
