// The checks that drive a running plugin: threads, hostile answers of the host, configurations, chance.
#include <chrono>
#include <utility>

#include "validate/fuzzer.h"
#include "validate/fault_injector.h"
#include "validate/harness.h"

namespace patchbay::app::validate {
namespace {

using core::json::Node;

constexpr int kThreadActions = 300;
constexpr int kHostileActions = 25;
constexpr int kConfigs = 40;

Outcome not_stopped(const Status& status) {
  return {"it does not stop: " + status.error().text,
          "call `done` in every case, also when the host said no"};
}

Outcome driven(const Run& run, int actions) {
  Rig rig(run, faults::over(run.entry));
  if (const Status begun = rig.begin(); !begun)
    return {"it does not start: " + begun.error().text, cure_of(begun)};
  Driver driver(rig, run.subject.seed);
  driver.act(actions);
  if (const Status ended = rig.end(); !ended) return not_stopped(ended);
  return first_problem(rig);
}

// The plugin may refuse to start, in a sentence; if it runs it must go on, and end.
Outcome with_fault(const Run& run, const std::string& what, const std::function<void()>& break_it) {
  Rig rig(run, faults::over(run.entry));
  break_it();
  const std::string where = what + ": ";
  const Status begun = rig.begin();
  if (!begun) {
    if (begun.error().code == Code::timeout)
      return {where + "start does not come back", "check what the host's functions return; see abi/"};
    if (wordless(begun)) return {where + "it refuses to start without a word", "say why in the error"};
  } else {
    Driver(rig, run.subject.seed).act(kHostileActions);
    if (const Status ended = rig.end(); !ended) {
      Outcome outcome = not_stopped(ended);
      outcome.reason.insert(0, where);
      return outcome;
    }
  }
  Outcome outcome = first_problem(rig);
  if (!outcome.passed()) outcome.reason.insert(0, where);
  return outcome;
}

const Node* plugin_schema(const core::Manifest& manifest) {
  return manifest.config != nullptr ? manifest.config->find("plugin") : nullptr;
}

// Every configuration that the manifest allows is taken, or refused in a sentence.
Outcome take_configs(const Run& run) {
  const Node* schema = plugin_schema(run.subject.manifest);
  if (schema == nullptr) return {};
  Chance chance(run.subject.seed);
  Rig rig(run, run.entry);
  for (int i = 0; i < kConfigs; ++i) {
    const std::string config = i == 0 ? run.subject.config : allowed_by(*schema, chance);
    if (config.empty() && i > 0) continue;
    run.note("with " + config);
    if (const Status made = rig.step(PB_STEP_CREATE); !made)
      return {"create: " + made.error().text, "see `plugin doctor`"};
    const Status started = rig.step(PB_STEP_START, config);
    if (wordless(started))
      return {"it refuses " + config + " without a word", "say in the error what is wrong and what to write"};
    if (!started && started.error().code == Code::timeout)
      return {"start does not come back with " + config, "call `done` in every case"};
    if (started) {
      const std::string next = allowed_by(*schema, chance);
      const Status checked =
          next.empty() ? Status(Code::unsupported, "-") : rig.step(PB_STEP_CHECK_CONFIG, next);
      if (wordless(checked) && checked.error().code != Code::unsupported)
        return {"check_config refuses " + next + " without a word", "say in the error what is wrong"};
      if (checked) static_cast<void>(rig.step(PB_STEP_RECONFIGURE, next));
      if (const Status stopped = rig.step(PB_STEP_STOP); !stopped) return not_stopped(stopped);
    }
    if (const Status gone = rig.step(PB_STEP_DESTROY); !gone)
      return {gone.error().text, "return from destroy"};
  }
  return first_problem(rig);
}

// What is not of the type that it should be never reaches the plugin.
Outcome refuse_configs(const Run& run) {
  const Node* schema = plugin_schema(run.subject.manifest);
  const Node* properties = schema != nullptr ? schema->find("properties") : nullptr;
  Rig rig(run, run.entry);
  if (const Status made = rig.step(PB_STEP_CREATE); !made)
    return {"create: " + made.error().text, "see `plugin doctor`"};
  std::vector<std::pair<std::string, std::string>> wrong{{"unheard-of", R"({"unheard-of": 1})"}};
  for (uint32_t i = 0; properties != nullptr && i < properties->size(); ++i) {
    const std::string key(properties->member(i)->key);
    const std::string value = forbidden_by(properties->member(i)->value);
    if (value.empty())
      return {"its key " + key + " takes a value of any type", "give it a type in the manifest"};
    wrong.emplace_back(key, "{\"" + key + "\": " + value + "}");
  }
  for (const auto& [key, config] : wrong) {
    if (rig.step(PB_STEP_START, config))
      return {"its manifest allows " + config, "say in the manifest what " + key + " may be"};
  }
  static_cast<void>(rig.step(PB_STEP_DESTROY));
  return first_problem(rig);
}

Outcome fuzz(const Run& run) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(run.subject.fuzz_sec);
  // A life has so many actions, then a fresh one begins: the same for the same seed, however fast the machine
  // is.
  constexpr int kLife = 200;
  for (uint64_t life = 0; std::chrono::steady_clock::now() < end; ++life) {
    Rig rig(run, faults::over(run.entry));
    if (const Status begun = rig.begin(); !begun)
      return {"it does not start: " + begun.error().text, cure_of(begun)};
    Driver driver(rig, run.subject.seed + life);
    for (int i = 0; i < kLife && std::chrono::steady_clock::now() < end; ++i) {
      driver.act();
      Outcome outcome = first_problem(rig);
      if (outcome.passed()) continue;
      outcome.reason += " (action " + std::to_string(driver.actions()) + "; again with --fuzz 60 --seed " +
                        std::to_string(run.subject.seed + life) + ")";
      return outcome;
    }
    if (const Status ended = rig.end(); !ended) return not_stopped(ended);
    Outcome outcome = first_problem(rig);
    if (!outcome.passed()) {
      outcome.reason += " (again with --fuzz 60 --seed " + std::to_string(run.subject.seed + life) + ")";
      return outcome;
    }
  }
  return {};
}

}  // namespace

std::vector<Step> thread_steps() {
  return {{"threads", [](const Run& run) { return driven(run, kThreadActions); }}};
}

std::vector<Step> config_steps() {
  return {{"config: what it allows", &take_configs}, {"config: what it refuses", &refuse_configs}};
}

std::vector<Step> host_steps() {
  std::vector<Step> steps;
  for (const std::string& id : faults::interfaces()) {
    steps.push_back({"host: without " + id, [id](const Run& run) {
                       return with_fault(run, "without " + id, [id] { faults::hide_interface(id); });
                     }});
  }
  for (size_t i = 0; i < faults::functions().size(); ++i) {
    const std::string name = faults::functions()[i] + " fails";
    steps.push_back({"host: " + name, [i, name](const Run& run) {
                       return with_fault(run, name, [i] { faults::fail_function(static_cast<int>(i)); });
                     }});
  }
  return steps;
}

std::vector<Step> fuzz_steps() { return {{"fuzz", &fuzz}}; }

}  // namespace patchbay::app::validate
