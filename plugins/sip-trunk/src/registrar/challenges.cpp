#include "registrar/challenges.h"

#include <algorithm>

namespace patchbay::sip_trunk {

std::vector<std::string> Challenges::make(const std::string& realm, std::string_view source, bool is_stale,
                                          int64_t now_ms) const {
  const std::string nonce = nonces_.make(source, now_ms);
  std::vector<std::string> values;
  for (const std::string& algorithm : algorithms_)
    values.push_back("Digest realm=\"" + realm + "\", nonce=\"" + nonce + "\", algorithm=" + algorithm +
                     ", qop=\"auth\"" + (is_stale ? ", stale=true" : ""));
  return values;
}

bool Challenges::has(std::string_view algorithm) const {
  return std::find(algorithms_.begin(), algorithms_.end(), algorithm) != algorithms_.end();
}

}  // namespace patchbay::sip_trunk
