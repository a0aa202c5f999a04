// ProviderPlugins: the plugins that `patchbay plugin run --with` starts first, to provide the services that
// the plugin under trial requires.
#pragma once

#include <patchbay/testing/fake_host.h>

#include <string_view>
#include <vector>

#include "plugin_run/trial_arguments.h"

namespace patchbay::app {

class ProviderPlugins {
 public:
  explicit ProviderPlugins(testing::FakeHost& host) : host_(host) {}

  // Starts them in the given order, up to the first that fails. Error: which plugin failed, and why.
  Status start(const std::vector<ProviderPlugin>& all);
  // Stops them in reverse order. Returns the first error, but stops all.
  Status stop();
  // Whether a started plugin provides the service.
  bool provide(std::string_view service) const;

 private:
  struct Started {
    uint64_t plugin;
    const ProviderPlugin* what;
  };
  Status step(const Started& one, uint32_t which) const;

  testing::FakeHost& host_;
  std::vector<Started> started_;
};

}  // namespace patchbay::app
