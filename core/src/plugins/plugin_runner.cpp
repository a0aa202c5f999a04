#include "plugins/plugin_runner.h"

#include <utility>

#include "abi/store_registry.h"

namespace patchbay::core {

const char* state_name(PluginState state) noexcept {
  switch (state) {
    case PluginState::idle:
      return "idle";
    case PluginState::starting:
      return "starting";
    case PluginState::running:
      return "running";
    case PluginState::draining:
      return "draining";
    case PluginState::stopped:
      return "stopped";
    case PluginState::failed:
      return "failed";
    case PluginState::restarting:
      return "restarting";
    case PluginState::quarantined:
      return "quarantined";
  }
  return "unknown";
}

PluginRunner::PluginRunner(HostServices& services, PluginSource source,
                           std::unique_ptr<PluginBackend> backend)
    : services_(services), source_(std::move(source)), backend_(std::move(backend)) {}

PluginRunner::~PluginRunner() = default;

bool PluginRunner::serves() const noexcept {
  const PluginState now = state();
  return now == PluginState::running || now == PluginState::restarting || now == PluginState::quarantined;
}

std::string PluginRunner::reason() const {
  const std::lock_guard lock(mutex_);
  return reason_;
}

void PluginRunner::refuse(std::string why) {
  const std::lock_guard lock(mutex_);
  reason_ = std::move(why);
  state_.store(PluginState::failed, std::memory_order_release);
}

void PluginRunner::enter(PluginState state, std::string_view why) {
  const std::lock_guard lock(mutex_);
  reason_ = why;
  state_.store(state, std::memory_order_release);
}

void PluginRunner::changed(PluginState state, std::string_view why) {
  const std::lock_guard lock(mutex_);
  if (!serves()) return;  // it is being stopped
  reason_ = why;
  state_.store(state, std::memory_order_release);
}

Status PluginRunner::fail(Status why) {
  refuse(why.error().text);
  return why;
}

Status PluginRunner::begin(bool register_schema) {
  PB_TRY(backend_->prepare());
  const std::string& sql = source_.store_sql;
  if (!sql.empty() && !register_schema) services_.store.register_on_demand(source_.manifest.id, sql);
  if (!sql.empty() && register_schema)
    PB_TRY(services_.store.store().register_owner(source_.manifest.id, sql));
  lifecycle_ = std::make_unique<PluginLifecycle>(services_, source_.manifest.id, std::move(backend_));
  return {};
}

Status PluginRunner::create(Deadline deadline) {
  return lifecycle_->wait_vital(
      lifecycle_->create([this](PluginState state, std::string_view why) { changed(state, why); }), deadline);
}

Status PluginRunner::start(const std::string& config, Deadline deadline) {
  enter(PluginState::starting, "it has not answered start yet");
  if (Status status = begin(true); !status) return fail(std::move(status));
  Status status = create(deadline);
  if (status) status = lifecycle_->wait_vital(lifecycle_->start(config), deadline);
  if (!status) {
    if (stuck()) {
      lifecycle_->withdraw();
    } else {
      static_cast<void>(lifecycle_->destroy(deadline));
    }
    return fail(std::move(status));
  }
  enter(PluginState::running, "");
  return {};
}

PluginRunner::ConfigCheck PluginRunner::check_unstarted(const std::string& config, bool check_schema,
                                                        Deadline deadline) {
  if (Status status = begin(check_schema); !status) return {std::move(status), {}};
  ConfigCheck result{create(deadline), {}};
  if (result.created) result.accepted = lifecycle_->wait_vital(lifecycle_->check_config(config), deadline);
  if (!result.accepted && !stuck() && !lifecycle_->backend().plugin_answered())
    result.created = std::exchange(result.accepted, {});
  if (!stuck()) static_cast<void>(lifecycle_->destroy(deadline));
  if (!result.accepted && result.accepted.error().code == Code::unsupported) result.accepted = {};
  return result;
}

// A timeout of these four does not count against the plugin: stop shows whether it still answers.
Status PluginRunner::check_config(const std::string& config, Deadline deadline) {
  return lifecycle_->wait(lifecycle_->check_config(config), deadline);
}

Status PluginRunner::reconfigure(const std::string& config, Deadline deadline) {
  return lifecycle_->wait(lifecycle_->reconfigure(config), deadline);
}

void PluginRunner::flush(Deadline deadline) {
  if (state() == PluginState::running) static_cast<void>(lifecycle_->wait(lifecycle_->flush(), deadline));
}

void PluginRunner::drain(Deadline deadline) {
  if (!serves()) return;
  enter(PluginState::draining, "");
  static_cast<void>(lifecycle_->wait(lifecycle_->drain(), deadline));
}

Status PluginRunner::stop(Deadline deadline) {
  if (!serves() && state() != PluginState::draining) return {};
  Status status = lifecycle_->wait_vital(lifecycle_->stop(), deadline);
  if (stuck()) {
    lifecycle_->withdraw();
  } else {
    Status destroyed = lifecycle_->destroy(deadline);
    if (!destroyed) status = std::move(destroyed);
  }
  if (!status) return fail(std::move(status));
  enter(PluginState::stopped, "");
  return {};
}

}  // namespace patchbay::core
