// PluginRunner: takes one plugin of a server through its life (PluginLifecycle). Its functions are called by
// one control thread, which waits for the plugin with a deadline; the plugin's own functions run on its main
// strand.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>

#include "abi/plugin_backend.h"
#include "patchbay/result.h"
#include "plugins/plugin_file.h"
#include "plugins/plugin_lifecycle.h"

namespace patchbay::core {

const char* state_name(PluginState state) noexcept;

class PluginRunner {
 public:
  using Deadline = std::chrono::milliseconds;

  // `backend` may be null for a plugin that will only be refused.
  PluginRunner(HostServices& services, PluginSource source, std::unique_ptr<PluginBackend> backend);
  // Call once it was stopped, or if it was never started.
  ~PluginRunner();

  const Manifest& manifest() const noexcept { return source_.manifest; }
  const PluginSource& source() const noexcept { return source_; }
  PluginState state() const noexcept { return state_.load(std::memory_order_acquire); }
  // It was started and takes configurations: it runs, or is being restarted.
  bool serves() const noexcept;
  // Why it is not running; "" when it is.
  std::string reason() const;

  // Loads, registers its SQL, creates, starts.
  Status start(const std::string& config, Deadline deadline);
  // Checks a configuration before the first start: creates the plugin, calls check_config, destroys it.
  struct ConfigCheck {
    Status created;   // loaded and created
    Status accepted;  // by check_config; "needs a restart" is no refusal here
  };
  // `check_schema`: its SQL, too; otherwise only if the plugin uses it.
  ConfigCheck check_unstarted(const std::string& config, bool check_schema, Deadline deadline);
  Status check_config(const std::string& config, Deadline deadline);
  // Error: it did not answer in time, and may still apply the configuration.
  Status reconfigure(const std::string& config, Deadline deadline);
  // Returns once the main strand has run what was queued there.
  void flush(Deadline deadline);
  void drain(Deadline deadline);
  // Stops and destroys it. A plugin that does not answer in time, or still waits for answers, is not
  // destroyed, and the error says so.
  Status stop(Deadline deadline);
  // Keeps it from being started, because of another plugin or of the configuration.
  void refuse(std::string why);
  // A step never returned, or an answer to the plugin is still under way.
  bool stuck() const noexcept { return lifecycle_ && lifecycle_->is_stuck(); }

 private:
  Status begin(bool register_schema);
  Status create(Deadline deadline);
  void enter(PluginState state, std::string_view why);
  void changed(PluginState state, std::string_view why);
  Status fail(Status why);

  // borrowed
  HostServices& services_;
  // owned
  const PluginSource source_;
  std::unique_ptr<PluginBackend> backend_;      // until it begins
  std::unique_ptr<PluginLifecycle> lifecycle_;  // from then on
  // state
  std::atomic<PluginState> state_{PluginState::idle};
  mutable std::mutex mutex_;
  std::string reason_;  // guarded by mutex_
};

}  // namespace patchbay::core
