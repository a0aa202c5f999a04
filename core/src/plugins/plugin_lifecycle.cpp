#include "plugins/plugin_lifecycle.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "observe/log.h"
#include "services/service_registry.h"

namespace patchbay::core {

PluginLifecycle::PluginLifecycle(HostServices& services, const std::string& id,
                                 std::unique_ptr<PluginBackend> backend)
    : services_(services),
      backend_(std::move(backend)),
      context_(std::make_unique<HostContext>(services, id)) {}

PluginLifecycle::~PluginLifecycle() {
  if (!is_stuck_) return;
  static_cast<void>(context_.release());  // NOLINT(bugprone-unused-return-value)
  static_cast<void>(backend_.release());  // NOLINT(bugprone-unused-return-value)
}

PluginLifecycle::Step PluginLifecycle::ask(const char* what, std::function<void(LifecycleStep&)> call) {
  return LifecycleStep::ask(*context_, what, std::move(call));
}

PluginLifecycle::Step PluginLifecycle::create(PluginBackend::OnState on_state) {
  return ask("create", [this, on_state = std::move(on_state)](LifecycleStep& step) {
    Status made = backend_->create(*context_, on_state);
    is_created_.store(made.ok(), std::memory_order_release);
    step.answer(std::move(made));
  });
}

PluginLifecycle::Step PluginLifecycle::start(std::string config) {
  return ask("start", [this, config = std::move(config)](LifecycleStep& step) {
    backend_->start(config, step.done());
  });
}

PluginLifecycle::Step PluginLifecycle::check_config(std::string config) {
  return ask("check_config", [this, config = std::move(config)](LifecycleStep& step) {
    backend_->check_config(config, step.done());
  });
}

PluginLifecycle::Step PluginLifecycle::reconfigure(std::string config) {
  return ask("reconfigure", [this, config = std::move(config)](LifecycleStep& step) {
    backend_->reconfigure(config, step.done());
  });
}

PluginLifecycle::Step PluginLifecycle::flush() {
  return ask("flush", [this](LifecycleStep& step) { backend_->flush(step.done()); });
}

PluginLifecycle::Step PluginLifecycle::drain() {
  return ask("drain", [this](LifecycleStep& step) { backend_->drain(step.done()); });
}

PluginLifecycle::Step PluginLifecycle::stop() {
  return ask("stop", [this](LifecycleStep& step) { backend_->stop(step.done()); });
}

Status PluginLifecycle::wait(const Step& step, Deadline deadline) {
  auto answer = step->wait(deadline);
  answered_ = answer.has_value();
  if (answer) return *std::move(answer);
  return {Code::timeout,
          std::string(step->what()) + " timed out after " + std::to_string(deadline.count()) + " ms"};
}

Status PluginLifecycle::wait_vital(const Step& step, Deadline deadline) {
  Status status = wait(step, deadline);
  if (!answered_) is_stuck_ = true;
  return status;
}

bool PluginLifecycle::wait_for_answers(std::chrono::steady_clock::time_point until) const {
  // Polls, because the wait is rare and short: only for what was under way when the plugin stopped.
  std::chrono::microseconds pause(10);
  while (context_->outstanding() > 0) {
    if (std::chrono::steady_clock::now() >= until) return false;
    std::this_thread::sleep_for(pause);
    pause = std::min<std::chrono::microseconds>(pause * 2, std::chrono::milliseconds(1));
  }
  return true;
}

void PluginLifecycle::withdraw() { services_.registry.withdraw_all(context_->id()); }

// Ensures that nothing reaches the plugin any more: no answer, and no callback that it registered.
Status PluginLifecycle::quiesce(Deadline deadline) {
  const auto until = std::chrono::steady_clock::now() + deadline;
  withdraw();
  context_->cancel_calls();
  if (wait_for_answers(until)) {
    context_->suppress_callbacks();
    if (wait_for_answers(until)) {
      context_->cut_streams();
      if (wait_for_answers(until)) return {};
    }
  }
  is_stuck_ = true;
  return {Code::timeout, "it was not destroyed: after " + std::to_string(deadline.count()) +
                             " ms it still waits for " + context_->under_way()};
}

void PluginLifecycle::release_all() {
  const std::string left = context_->release_all();
  if (left.empty()) return;
  const observe::Field field{"what", left};
  observe::Event event;
  event.level = observe::Level::warn;
  event.component = context_->id();
  event.text = "it left behind what the core has ended now";
  event.fields = &field;
  event.count = 1;
  services_.log.write(event);
}

Status PluginLifecycle::destroy(Deadline deadline) {
  PB_TRY(quiesce(deadline));
  if (is_created()) {
    const Step destroyed = ask("destroy", [this](LifecycleStep& step) {
      backend_->destroy();
      step.answer({});
    });
    PB_TRY(wait_vital(destroyed, deadline));
    is_created_ = false;
  }
  const auto until = std::chrono::steady_clock::now() + deadline;
  static_cast<void>(wait_for_answers(until));
  release_all();
  static_cast<void>(wait_for_answers(until));
  // The main strand closes last, because it runs completions of closed registrations that are still to come.
  if (LifecycleStep::close_main_strand(*context_)->wait(deadline)) return {};
  is_stuck_ = true;
  return {Code::timeout, "its main strand could not be closed in time"};
}

}  // namespace patchbay::core
