#include "read_settings.h"

#include "whitelist_limits.h"

namespace patchbay::whitelist {

Settings Settings::read(const Config& config) {
  Settings settings;
  for (const auto& tenant : config.tenants()) {
    const std::string_view secret = tenant.webphone.text("AdminSharedSecret", {});
    if (secret.size() >= kMinSecretBytes) settings.secrets_.emplace(tenant.host, secret);
  }
  return settings;
}

const std::string* Settings::secret(std::string_view tenant) const {
  const auto found = secrets_.find(tenant);
  return found == secrets_.end() ? nullptr : &found->second;
}

}  // namespace patchbay::whitelist
