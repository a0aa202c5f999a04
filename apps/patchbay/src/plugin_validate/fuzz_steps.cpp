// Steps that drive a running plugin with random input: alone, with faults injected into the host, and for
// long.
#include <chrono>
#include <utility>

#include "plugin_validate/fault_injector.h"
#include "plugin_validate/fuzzer.h"
#include "plugin_validate/harness.h"

namespace patchbay::app::validate {
namespace {

constexpr int kThreadActions = 300;
constexpr int kFaultActions = 25;

Outcome run_actions(const StepContext& context, int actions) {
  Harness harness(context, faults::wrap(context.entry));
  if (const Status begun = harness.create_and_start(); !begun)
    return {"it does not start: " + begun.error().text, fix_for(begun)};
  Fuzzer fuzzer(harness, context.subject.seed);
  fuzzer.act(actions);
  if (const Status ended = harness.stop_and_destroy(); !ended) return not_stopped(ended);
  return first_problem(harness);
}

// start() may fail with an error text; a plugin that starts must keep running, and stop.
Outcome with_fault(const StepContext& context, const std::string& what,
                   const std::function<void()>& break_it) {
  Harness harness(context, faults::wrap(context.entry));
  break_it();
  const std::string where = what + ": ";
  const Status begun = harness.create_and_start();
  if (!begun) {
    if (begun.error().code == Code::timeout)
      return {where + "start does not finish", "check what the host's functions return; see abi/"};
    if (has_no_message(begun))
      return {where + "its start fails without an error text", "state the reason in the error"};
  } else {
    Fuzzer(harness, context.subject.seed).act(kFaultActions);
    if (const Status ended = harness.stop_and_destroy(); !ended) {
      Outcome outcome = not_stopped(ended);
      outcome.reason.insert(0, where);
      return outcome;
    }
  }
  Outcome outcome = first_problem(harness);
  if (!outcome.passed()) outcome.reason.insert(0, where);
  return outcome;
}

Outcome fuzz(const StepContext& context) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(context.subject.fuzz_sec);
  // The plugin is restarted after a fixed number of actions, so that a seed gives the same sequence on
  // machines of any speed.
  constexpr int kActionsPerRound = 200;
  for (uint64_t round = 0; std::chrono::steady_clock::now() < end; ++round) {
    Harness harness(context, faults::wrap(context.entry));
    if (const Status begun = harness.create_and_start(); !begun)
      return {"it does not start: " + begun.error().text, fix_for(begun)};
    Fuzzer fuzzer(harness, context.subject.seed + round);
    for (int i = 0; i < kActionsPerRound && std::chrono::steady_clock::now() < end; ++i) {
      fuzzer.act();
      Outcome outcome = first_problem(harness);
      if (outcome.passed()) continue;
      outcome.reason += " (action " + std::to_string(fuzzer.actions()) + "; again with --fuzz 60 --seed " +
                        std::to_string(context.subject.seed + round) + ")";
      return outcome;
    }
    if (const Status ended = harness.stop_and_destroy(); !ended) return not_stopped(ended);
    Outcome outcome = first_problem(harness);
    if (!outcome.passed()) {
      outcome.reason += " (again with --fuzz 60 --seed " + std::to_string(context.subject.seed + round) + ")";
      return outcome;
    }
  }
  return {};
}

}  // namespace

std::vector<Step> thread_steps() {
  return {{"threads", [](const StepContext& context) { return run_actions(context, kThreadActions); }}};
}

std::vector<Step> host_steps() {
  std::vector<Step> steps;
  for (const std::string& id : faults::interfaces()) {
    steps.push_back({"host: without " + id, [id](const StepContext& context) {
                       return with_fault(context, "without " + id, [id] { faults::hide_interface(id); });
                     }});
  }
  for (size_t i = 0; i < faults::functions().size(); ++i) {
    const std::string name = faults::functions()[i] + " fails";
    steps.push_back({"host: " + name, [i, name](const StepContext& context) {
                       return with_fault(context, name, [i] { faults::fail_function(static_cast<int>(i)); });
                     }});
  }
  return steps;
}

std::vector<Step> fuzz_steps() { return {{"fuzz", &fuzz}}; }

}  // namespace patchbay::app::validate
