#include "config.h"

namespace patchbay::whitelist {

Settings::Settings(const Config& config) {
  for (const auto& tenant : config.tenants()) {
    const std::string_view secret = tenant.webphone.text("AdminSharedSecret", {});
    if (secret.size() >= kShortestSecret) secrets_.emplace(tenant.host, secret);
  }
}

const std::string* Settings::secret(std::string_view tenant) const {
  const auto found = secrets_.find(tenant);
  return found == secrets_.end() ? nullptr : &found->second;
}

}  // namespace patchbay::whitelist
