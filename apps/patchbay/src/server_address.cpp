#include "server_address.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "config/config.h"
#include "config/tenant_host.h"
#include "config/yaml.h"

namespace patchbay::app {
namespace config = core::config;

std::string default_config_file(const std::string& given) {
  constexpr const char* kHere = "patchbay.yaml";
  constexpr const char* kSystem = "/etc/patchbay/patchbay.yaml";
  if (!given.empty()) return given;
  std::error_code ignored;
  return !std::filesystem::exists(kHere, ignored) && std::filesystem::exists(kSystem, ignored) ? kSystem
                                                                                               : kHere;
}

std::string primary_tenant(const std::string& yaml) {
  config::Problem ignored;
  const auto root = config::read_yaml(yaml, ignored);
  const config::Entry* tenants = root ? root->find("tenants") : nullptr;
  if (tenants == nullptr) return {};
  for (const config::Entry& tenant : tenants->value.entries) {
    const config::Entry* primary = tenant.value.find("primary");
    if (primary != nullptr && primary->value.text == "true") return config::normalise_host(tenant.key);
  }
  return tenants->value.entries.size() == 1 ? config::normalise_host(tenants->value.entries.front().key)
                                            : std::string();
}

Result<ServerAddress> find_server(const ServerOptions& options) {
  ServerAddress address{options.socket, options.tenant};
  if (!address.socket.empty() && options.config_file.empty()) return address;
  const std::string file = default_config_file(options.config_file);
  const auto draft = config::load({file, config::process_environment(), {}});
  // Only problems in `server` matter for finding the socket.
  const bool known =
      std::none_of(draft.problems.begin(), draft.problems.end(),
                   [](const config::Problem& problem) { return problem.path.rfind("server", 0) == 0; });
  if (!draft.value || !known) return {Code::invalid, config::sentences(draft.problems)};
  if (address.socket.empty()) address.socket = draft.value->server().admin_socket;
  if (address.tenant.empty()) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    address.tenant = primary_tenant(text.str());
  }
  return address;
}

}  // namespace patchbay::app
