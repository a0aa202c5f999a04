// Challenges: the WWW-Authenticate values that ask a telephone for its user's SIP password (RFC 7616, RFC
// 8760): one for each algorithm, the preferred one first. Any thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "registrar/nonces.h"

namespace patchbay::sip_trunk {

class Challenges {
 public:
  // `algorithms`: of "SHA-256" and "MD5". `key`: of the nonces.
  Challenges(std::string key, std::vector<std::string> algorithms)
      : nonces_(std::move(key)), algorithms_(std::move(algorithms)) {}

  // `is_stale`: only the nonce was not valid any more, so the telephone need not ask its user again.
  std::vector<std::string> make(const std::string& realm, std::string_view source, bool is_stale,
                                int64_t now_ms) const;
  const Nonces& nonces() const noexcept { return nonces_; }
  bool has(std::string_view algorithm) const;

 private:
  const Nonces nonces_;
  const std::vector<std::string> algorithms_;
};

}  // namespace patchbay::sip_trunk
