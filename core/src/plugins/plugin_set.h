// PluginSet: the plugins that are configured, started, reconfigured and stopped together.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "config/config.h"
#include "plugins/plugin_catalogue.h"
#include "plugins/plugin_runner.h"

namespace patchbay::core {

struct PluginSetOptions {
  std::chrono::milliseconds start_deadline{};  // of each start, check, reconfiguration and stop
  std::chrono::milliseconds drain_deadline{};  // of all plugins together
  std::string plugin_host;  // the program for isolated plugins; "": found where it is installed
};

// Call from one control thread; report() from any.
class PluginSet {
 public:
  PluginSet(HostServices& services, PluginSetOptions options)
      : services_(services), options_(std::move(options)) {}
  ~PluginSet();

  // Creates each configured plugin, lets it check its configuration and destroys it; starts none. Returns the
  // plugins for which something failed. Checks an isolated plugin in a separate process. `check_schemas`:
  // also their SQL.
  std::map<std::string, PluginRunner::ConfigCheck> check_unstarted(const PluginCatalogue& catalogue,
                                                                   const config::Config& config,
                                                                   bool check_schemas);
  // Error: every refused plugin, a sentence each; the others run.
  Status start(const PluginCatalogue& catalogue, const config::Config& config);
  // All or nothing: lets the `changed` plugins check their configuration, then reconfigures them.
  // Code::timeout: all were reconfigured, and some have not answered.
  Status reconfigure(const config::Config& config, const std::vector<std::string>& changed);
  void drain();
  Status stop();

  // A plugin never returned: its thread may still use everything that the set was given.
  bool stuck() const;

  std::string plugins_json() const;
  std::string ready_json() const;

 private:
  // Waits until what plugins sent each other while they started (routes, gates, engines) has arrived.
  void settle();
  Status providers_run(const Manifest& manifest) const;
  PluginRunner* find(const std::string& id) const;
  // Error: it cannot run as configured.
  Result<std::unique_ptr<PluginRunner>> make(PluginSource source, const config::Isolation& isolation) const;

  HostServices& services_;
  const PluginSetOptions options_;
  std::atomic<bool> has_isolated_{false};               // isolated plugins
  mutable std::mutex mutex_;                            // guards runners_ against report()
  std::vector<std::unique_ptr<PluginRunner>> runners_;  // in the order of starting
};

}  // namespace patchbay::core
