#include "plugin_under_test.h"

#include <utility>

#include "abi/text.h"
#include "config_view.h"
#include "plugins/loaded_plugin.h"

namespace patchbay::fake {

using std::chrono::milliseconds;

Result<std::unique_ptr<PluginUnderTest>> PluginUnderTest::of(Environment& environment,
                                                             const pb_entry& entry) {
  PB_TRY_VALUE(core::PluginSource source, core::read_plugin_entry(entry));
  return std::unique_ptr<PluginUnderTest>(
      new PluginUnderTest(environment, std::move(source), core::string(entry.manifest)));
}

PluginUnderTest::PluginUnderTest(Environment& environment, core::PluginSource source,
                                 std::string manifest_text)
    : world_(environment), source_(std::move(source)), manifest_text_(std::move(manifest_text)) {}

Status PluginUnderTest::may_begin(uint32_t step) const {
  if (stuck_) return {Code::misuse, "a step of this plugin never came back"};
  if (!asked_.empty() && !asked_.back()->wait(milliseconds(0)))
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
  core::PluginLife& life = *lives_.back();
  if (step == PB_STEP_DRAIN || step == PB_STEP_STOP) {
    asked_.push_back(step == PB_STEP_DRAIN ? life.drain() : life.stop());
    return {};
  }
  PB_TRY_VALUE(std::string config, config_view(source_.manifest, plugin, tenants, world_.folder()));
  if (step == PB_STEP_START) asked_.push_back(life.start(std::move(config)));
  if (step == PB_STEP_CHECK_CONFIG) asked_.push_back(life.check_config(std::move(config)));
  if (step == PB_STEP_RECONFIGURE) asked_.push_back(life.reconfigure(std::move(config)));
  return {};
}

std::optional<Status> PluginUnderTest::answer(milliseconds wait) {
  if (asked_.empty()) return Status(Code::misuse, "no step was begun");
  return asked_.back()->wait(wait);
}

Status PluginUnderTest::stuck_in(const char* what) {
  stuck_ = true;
  return {Code::timeout, std::string("it did not come back from ") + what};
}

// Waits for the answer, because it decides which steps may follow.
Status PluginUnderTest::create() {
  PB_TRY(world_.register_store(id(), source_.store_sql));
  lives_.push_back(std::make_unique<core::PluginLife>(world_.services(), id(),
                                                      std::make_unique<core::LoadedPlugin>(source_)));
  asked_.push_back(lives_.back()->create());
  static_cast<void>(lives_.back()->wait_vital(asked_.back(), world_.options().wait));
  return lives_.back()->is_stuck() ? stuck_in("create") : Status();
}

Status PluginUnderTest::destroy() {
  core::PluginLife& life = *lives_.back();
  Status destroyed = life.destroy(world_.options().wait);
  stuck_ = life.is_stuck();
  if (!life.came_back()) return stuck_in("destroy");
  // Already waited for, so the answer is known.
  asked_.push_back(std::make_shared<core::PluginStep>(life.context(), "destroy"));
  asked_.back()->answer(destroyed);
  return destroyed;
}

void PluginUnderTest::end() {
  if (!alive() || stuck_) return;
  // The last step may still be answered until its time is over. If even its call has not returned, it holds
  // the strand, and no later step would run.
  const core::PluginLife::Asked last = asked_.back();
  const milliseconds wait = world_.options().wait;
  static_cast<void>(last->wait(last->left_of(wait)));
  std::string why;
  if (!last->has_returned() && !last->wait(milliseconds(0))) {
    why = stuck_in(last->what()).error().text + "()";
  } else {
    asked_.push_back(lives_.back()->stop());
    static_cast<void>(lives_.back()->wait_vital(asked_.back(), wait));
    if (lives_.back()->is_stuck()) {
      why = stuck_in("stop").error().text + "()";
    } else if (const Status destroyed = destroy(); !destroyed) {
      why = destroyed.error().text;
    }
  }
  if (!why.empty()) world_.rules().problem("stuck", id(), why);
}

}  // namespace patchbay::fake
