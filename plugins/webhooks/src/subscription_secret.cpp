#include "subscription_secret.h"

#include <patchbay/random_id.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "webhook_limits.h"

namespace patchbay::webhooks {

Result<std::string> read_secret(JsonView body) {
  const std::string_view given = body.text("secret", "");
  if (given.empty()) return random_id({}, 64);
  const auto blank = [](char c) { return c <= 0x20 || c >= 0x7f; };
  const std::set<char> different(given.begin(), given.end());
  if (std::any_of(given.begin(), given.end(), blank) || different.size() < kMinDistinctCharacters)
    return {Code::invalid,
            "secret must be random: ASCII without blanks and at least 8 different characters, as openssl "
            "rand -hex 32 gives; leave it out to get a random one"};
  return std::string(given);
}

}  // namespace patchbay::webhooks
