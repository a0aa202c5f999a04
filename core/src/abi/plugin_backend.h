// PluginBackend: the plugin as the host sees it, in this process or in another. Call it on the plugin's main
// strand in this order: create, start, any number of check_config and reconfigure, drain, stop, destroy.
#pragma once

#include <patchbay/abi/plugin.h>

#include <functional>
#include <string>
#include <string_view>

#include "abi/host_context.h"
#include "patchbay/result.h"

namespace patchbay::core {

enum class PluginState { idle, starting, running, draining, stopped, failed, restarting, quarantined };

class PluginBackend {
 public:
  // [strand main] Reports a change of a running plugin that no call has caused: running, restarting or
  // quarantined, and why.
  using OnState = std::function<void(PluginState state, std::string_view why)>;

  virtual ~PluginBackend() = default;

  // [control] Call first: reads its files; runs no code of the plugin.
  virtual Status prepare() = 0;

  virtual Status create(HostContext& context, OnState on_state) = 0;
  // Each `done` is called once, from any thread.
  virtual void start(const std::string& config, const pb_done& done) = 0;
  virtual void check_config(const std::string& config, const pb_done& done) = 0;
  // [control] Call after check_config() of a plugin that was not started. False: the call did not reach the
  // plugin, and the error of check_config() says why.
  virtual bool plugin_answered() const { return true; }
  virtual void reconfigure(const std::string& config, const pb_done& done) = 0;
  // Answers once everything that was queued for the plugin before this call has run.
  virtual void flush(const pb_done& done) = 0;
  virtual void drain(const pb_done& done) = 0;
  virtual void stop(const pb_done& done) = 0;
  virtual void destroy() = 0;
};

}  // namespace patchbay::core
