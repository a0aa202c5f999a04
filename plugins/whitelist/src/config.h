// The configuration of the whitelist: one shared secret per tenant.
#pragma once

#include <patchbay/config.h>

#include <map>
#include <string>
#include <string_view>

namespace patchbay::whitelist {

// The endpoints stay shut unless the secret has as many bytes.
constexpr size_t kShortestSecret = 24;

class Settings {
 public:
  Settings() = default;
  explicit Settings(const Config& config);

  // The tenant's secret; nullptr when the tenant is unknown or its secret missing or too short.
  const std::string* secret(std::string_view tenant) const;

 private:
  std::map<std::string, std::string, std::less<>> secrets_;  // by tenant; only those that are long enough
};

}  // namespace patchbay::whitelist
