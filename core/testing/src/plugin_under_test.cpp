#include "plugin_under_test.h"

#include <patchbay/str.h>

#include <utility>

#include "config_view.h"
#include "plugins/in_process_plugin.h"

namespace patchbay::fake {

using std::chrono::milliseconds;

Result<std::unique_ptr<PluginUnderTest>> PluginUnderTest::of(Environment& environment,
                                                             const pb_entry& entry) {
  PB_TRY_VALUE(core::PluginSource source, core::read_plugin_entry(entry));
  return std::unique_ptr<PluginUnderTest>(
      new PluginUnderTest(environment, std::move(source), std::string(from_abi(entry.manifest))));
}

PluginUnderTest::PluginUnderTest(Environment& environment, core::PluginSource source,
                                 std::string manifest_text)
    : world_(environment), source_(std::move(source)), manifest_text_(std::move(manifest_text)) {}

Status PluginUnderTest::may_begin(uint32_t step) const {
  if (stuck_) return {Code::misuse, "a step of this plugin never came back"};
  if (!steps_.empty() && !steps_.back()->wait(milliseconds(0)))
    return {Code::misuse, "the step before this one has not been answered"};
  if (step > PB_STEP_DESTROY) return {Code::invalid, "there is no such step"};
  if (step == PB_STEP_CREATE && alive()) return {Code::misuse, "the plugin is there already"};
  if (step != PB_STEP_CREATE && !alive()) return {Code::misuse, "the plugin has not been made"};
  return {};
}

Status PluginUnderTest::begin(uint32_t step, std::string_view plugin, std::string_view tenants) {
  PB_TRY(may_begin(step));
  if (step == PB_STEP_CREATE) return create();
  if (step == PB_STEP_DESTROY) return destroy();
  core::PluginLifecycle& lifecycle = *lifecycles_.back();
  if (step == PB_STEP_DRAIN || step == PB_STEP_STOP) {
    steps_.push_back(step == PB_STEP_DRAIN ? lifecycle.drain() : lifecycle.stop());
    return {};
  }
  PB_TRY_VALUE(std::string config, config_view(source_.manifest, plugin, tenants, world_.folder()));
  if (step == PB_STEP_START) steps_.push_back(lifecycle.start(std::move(config)));
  if (step == PB_STEP_CHECK_CONFIG) steps_.push_back(lifecycle.check_config(std::move(config)));
  if (step == PB_STEP_RECONFIGURE) steps_.push_back(lifecycle.reconfigure(std::move(config)));
  return {};
}

std::optional<Status> PluginUnderTest::answer(milliseconds wait) {
  if (steps_.empty()) return Status(Code::misuse, "no step was begun");
  return steps_.back()->wait(wait);
}

Status PluginUnderTest::stuck_in(const char* what) {
  stuck_ = true;
  return {Code::timeout, std::string(what) + " timed out"};
}

// Waits for the answer, because it decides which steps may follow.
Status PluginUnderTest::create() {
  PB_TRY(world_.register_store(id(), source_.store_sql));
  lifecycles_.push_back(std::make_unique<core::PluginLifecycle>(
      world_.services(), id(), std::make_unique<core::InProcessPlugin>(source_)));
  steps_.push_back(lifecycles_.back()->create());
  static_cast<void>(lifecycles_.back()->wait_vital(steps_.back(), world_.options().wait));
  return lifecycles_.back()->is_stuck() ? stuck_in("create") : Status();
}

Status PluginUnderTest::destroy() {
  core::PluginLifecycle& lifecycle = *lifecycles_.back();
  Status destroyed = lifecycle.destroy(world_.options().wait);
  stuck_ = lifecycle.is_stuck();
  if (!lifecycle.answered()) return stuck_in("destroy");
  // Already waited for, so the answer is known.
  steps_.push_back(std::make_shared<core::LifecycleStep>(lifecycle.context(), "destroy"));
  steps_.back()->answer(destroyed);
  return destroyed;
}

void PluginUnderTest::end() {
  if (!alive() || stuck_) return;
  // The last step may still be answered until its time is over. If even its call has not returned, it holds
  // the strand, and no later step would run.
  const core::PluginLifecycle::Step last = steps_.back();
  const milliseconds wait = world_.options().wait;
  static_cast<void>(last->wait(last->left_of(wait)));
  std::string why;
  if (!last->has_returned() && !last->wait(milliseconds(0))) {
    why = stuck_in(last->what()).error().text + "()";
  } else {
    steps_.push_back(lifecycles_.back()->stop());
    static_cast<void>(lifecycles_.back()->wait_vital(steps_.back(), wait));
    if (lifecycles_.back()->is_stuck()) {
      why = stuck_in("stop").error().text + "()";
    } else if (const Status destroyed = destroy(); !destroyed) {
      why = destroyed.error().text;
    }
  }
  if (!why.empty()) world_.rules().problem("stuck", id(), why);
}

}  // namespace patchbay::fake
