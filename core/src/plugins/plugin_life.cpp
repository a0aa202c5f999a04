#include "plugins/plugin_life.h"

#include <thread>
#include <utility>

#include "observe/log.h"
#include "services/service_registry.h"

namespace patchbay::core {

PluginLife::PluginLife(HostServices& services, const std::string& id, std::unique_ptr<PluginBackend> backend)
    : services_(services),
      backend_(std::move(backend)),
      context_(std::make_unique<HostContext>(services, id)) {}

PluginLife::~PluginLife() {
  if (!is_stuck_) return;
  static_cast<void>(context_.release());  // NOLINT(bugprone-unused-return-value)
  static_cast<void>(backend_.release());  // NOLINT(bugprone-unused-return-value)
}

PluginLife::Asked PluginLife::ask(const char* what, std::function<void(PluginStep&)> call) {
  return PluginStep::ask(*context_, what, std::move(call));
}

PluginLife::Asked PluginLife::create(PluginBackend::OnState on_state) {
  return ask("create", [this, on_state = std::move(on_state)](PluginStep& step) {
    Status made = backend_->create(*context_, on_state);
    is_made_.store(made.ok(), std::memory_order_release);
    step.answer(std::move(made));
  });
}

PluginLife::Asked PluginLife::start(std::string config) {
  return ask("start",
             [this, config = std::move(config)](PluginStep& step) { backend_->start(config, step.done()); });
}

PluginLife::Asked PluginLife::check_config(std::string config) {
  return ask("check_config", [this, config = std::move(config)](PluginStep& step) {
    backend_->check_config(config, step.done());
  });
}

PluginLife::Asked PluginLife::reconfigure(std::string config) {
  return ask("reconfigure", [this, config = std::move(config)](PluginStep& step) {
    backend_->reconfigure(config, step.done());
  });
}

PluginLife::Asked PluginLife::pass() {
  return ask("what was queued", [this](PluginStep& step) { backend_->pass(step.done()); });
}

PluginLife::Asked PluginLife::drain() {
  return ask("drain", [this](PluginStep& step) { backend_->drain(step.done()); });
}

PluginLife::Asked PluginLife::stop() {
  return ask("stop", [this](PluginStep& step) { backend_->stop(step.done()); });
}

Status PluginLife::wait(const Asked& step, Deadline deadline) {
  auto answer = step->wait(deadline);
  came_back_ = answer.has_value();
  if (answer) return *std::move(answer);
  return {Code::timeout, std::string("it did not come back from ") + step->what() + " within " +
                             std::to_string(deadline.count()) + " ms"};
}

Status PluginLife::wait_vital(const Asked& step, Deadline deadline) {
  Status status = wait(step, deadline);
  if (!came_back_) is_stuck_ = true;
  return status;
}

bool PluginLife::wait_for_answers(std::chrono::steady_clock::time_point until) const {
  // Polls, because the wait is rare and short: only for what was under way when the plugin stopped.
  while (context_->outstanding() > 0) {
    if (std::chrono::steady_clock::now() >= until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

void PluginLife::withdraw() { services_.registry.withdraw_all(context_->id()); }

// Ensures that nothing reaches the plugin any more: no answer, and no callback that it registered.
Status PluginLife::silence(Deadline deadline) {
  const auto until = std::chrono::steady_clock::now() + deadline;
  withdraw();
  context_->cancel_calls();
  if (wait_for_answers(until)) {
    context_->suppress_callbacks();
    if (wait_for_answers(until)) return {};
  }
  is_stuck_ = true;
  return {Code::timeout, "it was not destroyed: after " + std::to_string(deadline.count()) +
                             " ms it still waits for " + context_->under_way()};
}

void PluginLife::release_all() {
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

Status PluginLife::destroy(Deadline deadline) {
  PB_TRY(silence(deadline));
  if (is_made()) {
    const Asked destroyed = ask("destroy", [this](PluginStep& step) {
      backend_->destroy();
      step.answer({});
    });
    PB_TRY(wait_vital(destroyed, deadline));
    is_made_ = false;
  }
  const auto until = std::chrono::steady_clock::now() + deadline;
  static_cast<void>(wait_for_answers(until));
  release_all();
  static_cast<void>(wait_for_answers(until));
  // The main strand closes last, because it runs completions of closed registrations that are still to come.
  if (PluginStep::close_main_strand(*context_)->wait(deadline)) return {};
  is_stuck_ = true;
  return {Code::timeout, "its main strand could not be closed in time"};
}

}  // namespace patchbay::core
