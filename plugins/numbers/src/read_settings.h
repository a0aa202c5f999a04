// Reads the settings of numbers: the tenants and their configured numbers. Types, bounds and defaults are in
// settings.schema.json, against which the host has checked the configuration.
#pragma once

#include <patchbay/config.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "virtual_number.h"

namespace patchbay::numbers {

class Settings {
 public:
  // Error: a number is wrong or appears twice in a tenant, or lacks what its mode needs.
  static Result<Settings> read(const Config& config);

  bool has_tenant(std::string_view tenant) const { return tenants_.count(tenant) != 0; }
  // In document order; empty for an unknown tenant.
  const std::vector<VirtualNumber>& of_tenant(std::string_view tenant) const;
  // `number` is normalised. nullptr: not configured.
  const VirtualNumber* find(std::string_view tenant, std::string_view number) const;
  const std::map<std::string, std::vector<VirtualNumber>, std::less<>>& all() const { return tenants_; }

 private:
  std::map<std::string, std::vector<VirtualNumber>, std::less<>> tenants_;
};

}  // namespace patchbay::numbers
