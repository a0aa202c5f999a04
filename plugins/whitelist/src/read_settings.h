// Reads the settings of whitelist: one shared secret per tenant. Types, bounds and defaults are in
// settings.schema.json, against which the host has checked the configuration.
#pragma once

#include <patchbay/config.h>

#include <map>
#include <string>
#include <string_view>

namespace patchbay::whitelist {

class Settings {
 public:
  static Settings read(const Config& config);

  // Returns the tenant's secret; nullptr if the tenant is unknown or its secret is missing or too short.
  const std::string* secret(std::string_view tenant) const;

 private:
  std::map<std::string, std::string, std::less<>> secrets_;  // by tenant; all are long enough
};

}  // namespace patchbay::whitelist
