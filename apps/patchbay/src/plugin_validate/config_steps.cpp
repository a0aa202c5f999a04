// Checks which configurations the plugin accepts: all that its manifest allows, and none of another type.
#include <utility>

#include "plugin_validate/harness.h"
#include "plugin_validate/random_input.h"

namespace patchbay::app::validate {
namespace {

using core::json::Node;

constexpr int kConfigs = 40;

const Node* plugin_schema(const core::Manifest& manifest) {
  return manifest.config != nullptr ? manifest.config->find("plugin") : nullptr;
}

// The plugin accepts every configuration that its manifest allows, or refuses it with an error text.
Outcome accepts_valid_configs(const StepContext& context) {
  const Node* schema = plugin_schema(context.subject.manifest);
  if (schema == nullptr) return {};
  RandomInput random(context.subject.seed);
  Harness harness(context, context.entry);
  for (int i = 0; i < kConfigs; ++i) {
    const std::string config = i == 0 ? context.subject.config : valid_value(*schema, random);
    if (config.empty() && i > 0) continue;
    context.note("with " + config);
    if (const Status made = harness.step(PB_STEP_CREATE); !made)
      return {"create: " + made.error().text, "see `plugin doctor`"};
    const Status started = harness.step(PB_STEP_START, config);
    if (has_no_message(started))
      return {"it refuses " + config + " without an error text",
              "state in the error what is wrong and what to write"};
    if (!started && started.error().code == Code::timeout)
      return {"start does not finish with " + config, "call `done` in every case"};
    if (started) {
      const std::string next = valid_value(*schema, random);
      const Status checked =
          next.empty() ? Status(Code::unsupported, "-") : harness.step(PB_STEP_CHECK_CONFIG, next);
      if (has_no_message(checked) && checked.error().code != Code::unsupported)
        return {"check_config refuses " + next + " without an error text",
                "state in the error what is wrong"};
      if (checked) static_cast<void>(harness.step(PB_STEP_RECONFIGURE, next));
      if (const Status stopped = harness.step(PB_STEP_STOP); !stopped) return not_stopped(stopped);
    }
    if (const Status gone = harness.step(PB_STEP_DESTROY); !gone)
      return {gone.error().text, "return from destroy"};
  }
  return first_problem(harness);
}

// Values of a wrong type are refused by the manifest's schema, so that they never reach the plugin.
Outcome refuses_invalid_configs(const StepContext& context) {
  const Node* schema = plugin_schema(context.subject.manifest);
  const Node* properties = schema != nullptr ? schema->find("properties") : nullptr;
  Harness harness(context, context.entry);
  if (const Status made = harness.step(PB_STEP_CREATE); !made)
    return {"create: " + made.error().text, "see `plugin doctor`"};
  std::vector<std::pair<std::string, std::string>> wrong{{"unknown-key", R"({"unknown-key": 1})"}};
  for (uint32_t i = 0; properties != nullptr && i < properties->size(); ++i) {
    const std::string key(properties->member(i)->key);
    const std::string value = invalid_value(properties->member(i)->value);
    if (value.empty())
      return {"its key " + key + " takes a value of any type", "give it a type in the manifest"};
    wrong.emplace_back(key, "{\"" + key + "\": " + value + "}");
  }
  for (const auto& [key, config] : wrong) {
    if (harness.step(PB_STEP_START, config))
      return {"its manifest allows " + config, "declare the type of " + key + " in the manifest"};
  }
  static_cast<void>(harness.step(PB_STEP_DESTROY));
  return first_problem(harness);
}

}  // namespace

std::vector<Step> config_steps() {
  return {{"config: what it allows", &accepts_valid_configs},
          {"config: what it refuses", &refuses_invalid_configs}};
}

}  // namespace patchbay::app::validate
