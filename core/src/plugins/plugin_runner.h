// PluginRunner: leads one plugin of a server through its life (PluginLife). Its functions are called by one
// control thread, which waits for the plugin with a deadline; the plugin's own functions run on its main
// strand.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>

#include "abi/plugin_backend.h"
#include "patchbay/result.h"
#include "plugins/plugin_life.h"
#include "plugins/plugin_source.h"

namespace patchbay::core {

const char* state_name(PluginState state) noexcept;

class PluginRunner {
 public:
  using Deadline = std::chrono::milliseconds;

  // `backend` may be null for one that is only there to be refused.
  PluginRunner(HostServices& services, PluginSource source, std::unique_ptr<PluginBackend> backend);
  // Stopped, or never started.
  ~PluginRunner();

  const Manifest& manifest() const noexcept { return source_.manifest; }
  const PluginSource& source() const noexcept { return source_; }
  PluginState state() const noexcept { return state_.load(std::memory_order_acquire); }
  // It was started, and takes configurations: it runs, or will again.
  bool serves() const noexcept;
  // Why it is not running; "" when it is.
  std::string reason() const;

  // Loads, registers its SQL, creates, starts.
  Status start(const std::string& config, Deadline deadline);
  // Checks a configuration before the first start: creates the plugin, calls check_config, destroys it.
  struct Rehearsed {
    Status made;   // loaded and created
    Status asked;  // "needs a restart" is no refusal here
  };
  Rehearsed rehearse(const std::string& config, Deadline deadline);
  Status check_config(const std::string& config, Deadline deadline);
  // Error: it did not come back in time, and may take the configuration yet.
  Status reconfigure(const std::string& config, Deadline deadline);
  // Returns once the main strand has run what was queued there.
  void pass(Deadline deadline);
  void drain(Deadline deadline);
  // Stops and destroys. A plugin that does not come back in time, or waits for answers still, is left where
  // it is, and the error says so.
  Status stop(Deadline deadline);
  // Not to be started: another plugin's fault, or the configuration's.
  void refuse(std::string why);
  // A step never came back, or an answer is still on its way to it.
  bool stuck() const noexcept { return life_ && life_->is_stuck(); }

 private:
  Status begin();
  Status create(Deadline deadline);
  void enter(PluginState state, std::string_view why);
  void changed(PluginState state, std::string_view why);
  Status fail(Status why);

  // borrowed
  HostServices& services_;
  // owned
  const PluginSource source_;
  std::unique_ptr<PluginBackend> backend_;  // until it begins
  std::unique_ptr<PluginLife> life_;        // from then on
  // state
  std::atomic<PluginState> state_{PluginState::idle};
  mutable std::mutex mutex_;
  std::string reason_;  // guarded by mutex_
};

}  // namespace patchbay::core
