// A plugin's configuration, checked against its manifest's schemas, with defaults filled in and secrets
// resolved. Its views and texts are valid during the call of start(), check_config() or reconfigure() that
// got it: copy what you keep.
#pragma once

#include <string_view>
#include <vector>

#include "json.h"

namespace patchbay {

class Config {
 public:
  struct Tenant {
    std::string_view host;
    bool primary = false;
    JsonView section;   // tenants.<host>.<plugin>
    JsonView webphone;  // tenants.<host>.WebPhone
  };

  Config() = default;
  explicit Config(Json doc) : doc_(std::move(doc)) {}

  JsonView plugin() const noexcept { return doc_["plugin"]; }  // plugins.<plugin>
  JsonView server() const noexcept { return doc_["server"]; }
  std::vector<Tenant> tenants() const {
    std::vector<Tenant> all;
    const JsonView list = doc_["tenants"];
    for (size_t i = 0; i < list.size(); ++i) all.push_back(tenant_at(list, i));
    return all;
  }

 private:
  static Tenant tenant_at(JsonView list, size_t i) noexcept {
    const JsonView tenant = list.at(i);
    return {list.key(i), tenant.boolean("primary", false), tenant["section"], tenant["WebPhone"]};
  }
  Json doc_;
};

}  // namespace patchbay
