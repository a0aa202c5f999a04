// PluginLife: one plugin from create to destroy, a step at a time. A server (PluginRunner) and the fake host
// lead plugins through it, and differ in when they ask for a step and in how long they wait for the answer.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "abi/plugin_backend.h"
#include "plugins/plugin_step.h"

namespace patchbay::core {

// One thread's, which is no strand.
class PluginLife {
 public:
  using Deadline = std::chrono::milliseconds;
  using Asked = std::shared_ptr<PluginStep>;

  // `backend` is prepared.
  PluginLife(HostServices& services, const std::string& id, std::unique_ptr<PluginBackend> backend);
  // After destroy(), or before create(). What a plugin that is stuck may still touch stays for ever.
  ~PluginLife();

  HostContext& context() noexcept { return *context_; }
  PluginBackend& backend() noexcept { return *backend_; }
  // It was created, and not destroyed.
  bool is_made() const noexcept { return is_made_.load(std::memory_order_acquire); }
  // A step never came back, or an answer is still on its way: its code may still run, or be called.
  bool is_stuck() const noexcept { return is_stuck_; }

  Asked create(PluginBackend::OnState on_state = {});
  Asked start(std::string config);
  Asked check_config(std::string config);
  Asked reconfigure(std::string config);
  Asked pass();
  Asked drain();
  Asked stop();

  // The answer. Code::timeout: there is none in time; came_back() is false then.
  Status wait(const Asked& step, Deadline deadline);
  bool came_back() const noexcept { return came_back_; }
  // Of a step after which the plugin cannot be led further when it does not come back, as its strand is held,
  // perhaps for ever.
  Status wait_vital(const Asked& step, Deadline deadline);

  // After stop, or a start that failed: what others see of the plugin goes first; once no answer is on its
  // way to it and no registration of it is called any more it is destroyed; what it did not let go of is
  // released and named in the log; its main strand closes last. An error leaves it where it is.
  Status destroy(Deadline deadline);
  // Withdraws the services of a plugin that is stuck.
  void withdraw();

 private:
  Asked ask(const char* what, std::function<void(PluginStep&)> call);
  Status silence(Deadline deadline);
  void release_all();
  bool wait_for_answers(std::chrono::steady_clock::time_point until) const;

  // borrowed
  HostServices& services_;
  // owned
  std::unique_ptr<PluginBackend> backend_;
  std::unique_ptr<HostContext> context_;
  // state
  std::atomic<bool> is_made_{false};
  bool came_back_ = true;  // from the step that was waited for last
  bool is_stuck_ = false;
};

}  // namespace patchbay::core
