// The configuration of the whitelist: one shared secret per tenant.
#pragma once

#include <patchbay/config.h>

#include <map>
#include <string>
#include <string_view>

namespace patchbay::whitelist {

// The routes refuse all requests of a tenant whose secret is shorter.
constexpr size_t kMinSecretBytes = 24;

class Settings {
 public:
  static Settings read(const Config& config);

  // The tenant's secret; nullptr when the tenant is unknown or its secret missing or too short.
  const std::string* secret(std::string_view tenant) const;

 private:
  std::map<std::string, std::string, std::less<>> secrets_;  // by tenant; only those that are long enough
};

}  // namespace patchbay::whitelist
