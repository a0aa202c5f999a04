#include "plugins/plugin_runner.h"

#include <condition_variable>
#include <mutex>
#include <utility>

#include "abi/store_hub.h"
#include "abi/text.h"
#include "observe/log.h"
#include "runtime/thread_kind.h"
#include "services/service_registry.h"

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

// One question to a plugin and its answer. Shared with the plugin's `done`, which may come after we gave up.
class PluginRunner::Step {
 public:
  explicit Step(HostContext& context) : context_(context) {}

  void answer(int32_t status, const pb_err* err) {
    const std::lock_guard lock(mutex_);
    if (answered_) return;
    answered_ = true;
    result_ = read_status(status, err);
    condition_.notify_all();
  }
  // False: no answer in time.
  bool wait(Deadline deadline, Status& result) {
    std::unique_lock lock(mutex_);
    if (!condition_.wait_for(lock, deadline, [&] { return answered_; })) return false;
    result = result_;
    return true;
  }
  HostContext& context() const noexcept { return context_; }

  // The plugin's `done`. It knows the step by number, so that one called twice, or late, harms nobody.
  static pb_done done(const std::shared_ptr<Step>& step) {
    static_assert(sizeof(void*) == sizeof(uint64_t));
    return {sizeof(pb_done), 0, reinterpret_cast<void*>(asked().add(step)),
            [](void* self, int32_t status, const pb_err* err) noexcept {
              const auto held = asked().take(reinterpret_cast<uint64_t>(self));
              if (held) held->answer(status, err);
            }};
  }

 private:
  // Shared by the step and whoever waits for it.
  static HandleMap<std::shared_ptr<Step>>& asked() {
    static auto* const all = new HandleMap<std::shared_ptr<Step>>;  // a late answer may come at exit
    return *all;
  }

  HostContext& context_;
  std::mutex mutex_;
  std::condition_variable condition_;
  bool answered_ = false;
  Status result_;
};

PluginRunner::PluginRunner(HostParts& parts, PluginSource source, std::unique_ptr<PluginBody> body)
    : parts_(parts), source_(std::move(source)), body_(std::move(body)) {}

PluginRunner::~PluginRunner() {
  // What a stuck plugin may still touch stays.
  if (!stuck_) return;
  static_cast<void>(context_.release());  // NOLINT(bugprone-unused-return-value)
  static_cast<void>(body_.release());     // NOLINT(bugprone-unused-return-value)
}

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

Status PluginRunner::run_step(const char* what, Deadline deadline,
                              const std::function<void(const std::shared_ptr<Step>&)>& call) {
  auto step = std::make_shared<Step>(*context_);
  const bool posted = context_->main_strand()->post([step, call, what] {
    const OwnerScope scope(step->context().id().c_str());
    const CallbackScope callback(what);
    call(step);
  });
  came_back_ = true;
  if (!posted) return {Code::gone, "its strand is closed"};
  Status result;
  if (step->wait(deadline, result)) return result;
  came_back_ = false;
  return {Code::timeout, std::string("it did not come back from ") + what + " within " +
                             std::to_string(deadline.count()) + " ms"};
}

Status PluginRunner::begin() {
  PB_TRY(body_->prepare());
  Store& store = parts_.store.store();
  if (!source_.store_sql.empty()) PB_TRY(store.register_owner(source_.manifest.id, source_.store_sql));
  context_ = std::make_unique<HostContext>(parts_, source_.manifest.id);
  return {};
}

// A step of its life that never comes back leaves its strand held, perhaps for ever.
Status PluginRunner::run_vital_step(const char* what, Deadline deadline,
                                    const std::function<void(const std::shared_ptr<Step>&)>& call) {
  Status status = run_step(what, deadline, call);
  if (!came_back_) stuck_ = true;
  return status;
}

Status PluginRunner::create(Deadline deadline) {
  Status status = run_vital_step("create", deadline, [this](const std::shared_ptr<Step>& step) {
    const Status made =
        body_->create(*context_, [this](PluginState state, std::string_view why) { changed(state, why); });
    pb_err err = empty_error();
    if (!made) write_error(&err, made.error().code, made.error().text);
    step->answer(made ? PB_OK : static_cast<int32_t>(made.error().code), &err);
  });
  made_ = status.ok();
  return status;
}

Status PluginRunner::start(const std::string& config, Deadline deadline) {
  enter(PluginState::starting, "it has not answered start yet");
  if (Status status = begin(); !status) return fail(std::move(status));
  Status status = create(deadline);
  if (status) {
    status = run_vital_step("start", deadline, [this, config](const std::shared_ptr<Step>& step) {
      body_->start(config, Step::done(step));
    });
  }
  if (!status) {
    if (stuck_) {
      parts_.services.withdraw_all(source_.manifest.id);
    } else {
      static_cast<void>(destroy(deadline));
    }
    return fail(std::move(status));
  }
  enter(PluginState::running, "");
  return {};
}

PluginRunner::Rehearsed PluginRunner::rehearse(const std::string& config, Deadline deadline) {
  if (Status status = begin(); !status) return {std::move(status), {}};
  Rehearsed result{create(deadline), {}};
  if (result.made) {
    result.asked = run_vital_step(
        "check_config", deadline,
        [this, config](const std::shared_ptr<Step>& step) { body_->check_config(config, Step::done(step)); });
  }
  if (!result.asked && !stuck_ && !body_->was_asked()) result.made = std::exchange(result.asked, {});
  if (!stuck_) static_cast<void>(destroy(deadline));
  if (!result.asked && result.asked.error().code == Code::unsupported) result.asked = {};
  return result;
}

// The four below are no fault of the plugin when they take too long: stop shows whether it still answers.
Status PluginRunner::check_config(const std::string& config, Deadline deadline) {
  return run_step("check_config", deadline, [this, config](const std::shared_ptr<Step>& step) {
    body_->check_config(config, Step::done(step));
  });
}

Status PluginRunner::reconfigure(const std::string& config, Deadline deadline) {
  return run_step("reconfigure", deadline, [this, config](const std::shared_ptr<Step>& step) {
    body_->reconfigure(config, Step::done(step));
  });
}

void PluginRunner::pass(Deadline deadline) {
  if (state() != PluginState::running) return;
  static_cast<void>(run_step("what was queued", deadline,
                             [this](const std::shared_ptr<Step>& step) { body_->pass(Step::done(step)); }));
}

void PluginRunner::drain(Deadline deadline) {
  if (!serves()) return;
  enter(PluginState::draining, "");
  static_cast<void>(run_step("drain", deadline,
                             [this](const std::shared_ptr<Step>& step) { body_->drain(Step::done(step)); }));
}

bool PluginRunner::wait_for_answers(std::chrono::steady_clock::time_point until) const {
  // Rare and short: only what was under way when the plugin stopped.
  while (context_->outstanding() > 0) {
    if (std::chrono::steady_clock::now() >= until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

void PluginRunner::end_leftovers() const {
  const std::string left = context_->end_leftovers();
  if (left.empty()) return;
  const observe::Field field{"what", left};
  observe::Event event;
  event.level = observe::Level::warn;
  event.component = source_.manifest.id;
  event.text = "it left behind what the core has ended now";
  event.fields = &field;
  event.count = 1;
  parts_.log.write(event);
}

// Nothing may reach the plugin any more: no answer, no callback of what it has registered.
Status PluginRunner::silence(Deadline deadline) {
  const auto until = std::chrono::steady_clock::now() + deadline;
  parts_.services.withdraw_all(source_.manifest.id);
  context_->cancel_calls();
  if (wait_for_answers(until)) {
    context_->suppress_callbacks();
    if (wait_for_answers(until)) return {};
  }
  stuck_ = true;
  return {Code::timeout, "it was not destroyed: after " + std::to_string(deadline.count()) +
                             " ms it still waits for " + context_->under_way()};
}

Status PluginRunner::destroy(Deadline deadline) {
  PB_TRY(silence(deadline));
  if (made_) {
    PB_TRY(run_vital_step("destroy", deadline, [this](const std::shared_ptr<Step>& step) {
      body_->destroy();
      step->answer(PB_OK, nullptr);
    }));
  }
  const auto until = std::chrono::steady_clock::now() + deadline;
  static_cast<void>(wait_for_answers(until));
  end_leftovers();
  static_cast<void>(wait_for_answers(until));
  // Ends of registrations that are still on their way run on the main strand: it goes last.
  auto closed = std::make_shared<Step>(*context_);
  auto* held = new std::shared_ptr<Step>(closed);
  context_->main_strand()->close(
      [](void* raw) {
        const std::unique_ptr<std::shared_ptr<Step>> step(static_cast<std::shared_ptr<Step>*>(raw));
        (*step)->answer(PB_OK, nullptr);
      },
      held);
  Status ignored;
  if (!closed->wait(deadline, ignored)) {
    stuck_ = true;
    return {Code::timeout, "its strand did not come to rest"};
  }
  return {};
}

Status PluginRunner::stop(Deadline deadline) {
  if (!serves() && state() != PluginState::draining) return {};
  Status status = run_vital_step(
      "stop", deadline, [this](const std::shared_ptr<Step>& step) { body_->stop(Step::done(step)); });
  if (stuck_) {
    parts_.services.withdraw_all(source_.manifest.id);
  } else {
    Status destroyed = destroy(deadline);
    if (!destroyed) status = std::move(destroyed);
  }
  if (!status) return fail(std::move(status));
  enter(PluginState::stopped, "");
  return {};
}

}  // namespace patchbay::core
