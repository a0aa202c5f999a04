// PluginLifecycle: one plugin from create to destroy, a step at a time. Used by a server (PluginRunner) and
// by the fake host, which differ in when they begin a step and in how long they wait for its answer.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "abi/plugin_backend.h"
#include "plugins/lifecycle_step.h"

namespace patchbay::core {

// Call from one thread, which is not a strand.
class PluginLifecycle {
 public:
  using Deadline = std::chrono::milliseconds;
  using Step = std::shared_ptr<LifecycleStep>;

  // `backend` is prepared.
  PluginLifecycle(HostServices& services, const std::string& id, std::unique_ptr<PluginBackend> backend);
  // Call after destroy(), or before create(). Leaks what a stuck plugin may still use.
  ~PluginLifecycle();

  HostContext& context() noexcept { return *context_; }
  PluginBackend& backend() noexcept { return *backend_; }
  // The plugin was created and not destroyed.
  bool is_created() const noexcept { return is_created_.load(std::memory_order_acquire); }
  // A step never returned, or an answer is still under way: the plugin's code may still run, or be called.
  bool is_stuck() const noexcept { return is_stuck_; }

  Step create(PluginBackend::OnState on_state = {});
  Step start(std::string config);
  Step check_config(std::string config);
  Step reconfigure(std::string config);
  Step flush();
  Step drain();
  Step stop();

  // Returns the step's answer. Code::timeout: none came in time; answered() is then false.
  Status wait(const Step& step, Deadline deadline);
  bool answered() const noexcept { return answered_; }
  // As wait(). If no answer comes in time, the plugin is stuck and no further step can follow, because its
  // strand may be held for ever.
  Status wait_vital(const Step& step, Deadline deadline);

  // Call after stop, or after a start that failed. In this order: withdraws the plugin's services, waits
  // until no answer is under way to it and no registration calls it, destroys it, releases what it still
  // holds and logs that, closes its main strand. Stops at the first error.
  Status destroy(Deadline deadline);
  // Withdraws the services of a plugin that is stuck.
  void withdraw();

 private:
  Step ask(const char* what, std::function<void(LifecycleStep&)> call);
  Status quiesce(Deadline deadline);
  void release_all();
  bool wait_for_answers(std::chrono::steady_clock::time_point until) const;

  // borrowed
  HostServices& services_;
  // owned
  std::unique_ptr<PluginBackend> backend_;
  std::unique_ptr<HostContext> context_;
  // state
  std::atomic<bool> is_created_{false};
  bool answered_ = true;  // from the step that was waited for last
  bool is_stuck_ = false;
};

}  // namespace patchbay::core
