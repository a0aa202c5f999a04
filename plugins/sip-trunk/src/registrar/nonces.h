// Nonces: makes and checks the nonces of our digest challenges. A nonce needs no memory: it has its time and
// a MAC over that and the address that it was made for, so that a challenge costs no more than its response.
// Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace patchbay::sip_trunk {

class Nonces {
 public:
  // `key`: secret and random. The nonces of another key are not valid.
  explicit Nonces(std::string key) : key_(std::move(key)) {}

  // `source`: the IP address that may use it; a telephone may change its port.
  std::string make(std::string_view source, int64_t now_ms) const;
  // Returns whether it was made for this address, kNonceLifetimeMs ago at most.
  bool is_valid(std::string_view nonce, std::string_view source, int64_t now_ms) const;

  // A tag for To of an answer that keeps no state: the same for each copy of a request (RFC 3261 8.2.7).
  std::string tag(std::string_view call_id) const;

 private:
  std::string mac(std::string_view head, std::string_view source) const;

  const std::string key_;
};

}  // namespace patchbay::sip_trunk
