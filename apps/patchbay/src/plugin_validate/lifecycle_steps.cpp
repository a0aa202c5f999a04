// Runs the plugin through every order of lifecycle steps that a server may use.
#include <utility>

#include "plugin_validate/harness.h"

namespace patchbay::app::validate {
namespace {

Outcome failed(const char* what, const Status& status) {
  return {std::string(what) + ": " + status.error().text, fix_for(status)};
}

// Executes one word of the orders below.
Status execute(Harness& harness, const std::string& word) {
  if (word == "create") return harness.step(PB_STEP_CREATE);
  if (word == "start") return harness.step(PB_STEP_START);
  if (word == "drain") return harness.step(PB_STEP_DRAIN);
  if (word == "stop") return harness.step(PB_STEP_STOP);
  if (word == "destroy") return harness.step(PB_STEP_DESTROY);
  if (word == "settle") return harness.settle();
  if (word == "ask") {
    // As `patchbay check` does. The plugin may refuse the configuration, with an error text.
    const Status asked = harness.step(PB_STEP_CHECK_CONFIG);
    return has_no_message(asked) && asked.error().code != Code::unsupported ? asked : Status();
  }
  if (word == "wait") return harness.advance_ms(2000);
  // "reload": a plugin that refuses the new configuration is not reconfigured.
  if (!harness.step(PB_STEP_CHECK_CONFIG)) return {};
  return harness.step(PB_STEP_RECONFIGURE);
}

Outcome run_lifecycle(const StepContext& context, const std::vector<std::string>& order) {
  Harness harness(context, context.entry);
  for (const std::string& word : order)
    if (const Status done = execute(harness, word); !done) return failed(word.c_str(), done);
  static_cast<void>(harness.settle());
  return first_problem(harness);
}

// Runs two instances at once, each on its own host: they share only static variables.
Outcome two_instances(const StepContext& context) {
  Harness one(context, context.entry);
  Harness other(context, context.entry);
  if (const Status begun = one.create_and_start(); !begun) return failed("the first", begun);
  const Status second = other.create_and_start();  // it may fail, because its port is in use
  if (!second && second.error().code == Code::timeout) return failed("the second", second);
  if (const Status ended = one.stop_and_destroy(); !ended) return failed("the first", ended);
  static_cast<void>(other.settle());
  if (const Status ended = second ? other.stop_and_destroy() : Status(); !ended)
    return failed("the second", ended);
  Outcome outcome = first_problem(one);
  return outcome.passed() ? first_problem(other) : outcome;
}

// With every dependency missing (`stand_ins` false) or failing, start() may fail, but with an error text.
Outcome without_services(const StepContext& context, bool stand_ins) {
  Harness::Options options;
  options.stand_ins = stand_ins;
  options.stand_ins_refuse = true;
  Harness harness(context, context.entry, options);
  if (const Status begun = harness.create_and_start(); !begun) {
    if (has_no_message(begun))
      return {"its start failed without an error text", "state the reason in the error"};
    return first_problem(harness);
  }
  static_cast<void>(harness.advance_ms(2000));
  if (const Status ended = harness.stop_and_destroy(); !ended) return failed("stop", ended);
  return first_problem(harness);
}

Step in_order(std::string name, std::vector<std::string> order) {
  return {"life: " + std::move(name),
          [order = std::move(order)](const StepContext& context) { return run_lifecycle(context, order); }};
}

}  // namespace

std::vector<Step> life_steps() {
  return {
      in_order("create and destroy", {"create", "destroy"}),
      in_order("asked before it starts", {"create", "ask", "destroy"}),
      in_order("start and stop", {"create", "start", "settle", "wait", "stop", "destroy"}),
      in_order("stop at once", {"create", "start", "stop", "destroy"}),
      in_order("drain before stop", {"create", "start", "settle", "drain", "stop", "destroy"}),
      in_order("drain twice", {"create", "start", "drain", "wait", "drain", "stop", "destroy"}),
      in_order("reload", {"create", "start", "settle", "reload", "reload", "wait", "stop", "destroy"}),
      in_order("start again, fresh",
               {"create", "start", "wait", "stop", "destroy", "create", "start", "wait", "stop", "destroy"}),
      {"life: two at once", &two_instances},
      {"life: without the services it knows",
       [](const StepContext& context) { return without_services(context, false); }},
      {"life: with services that refuse",
       [](const StepContext& context) { return without_services(context, true); }},
  };
}

}  // namespace patchbay::app::validate
