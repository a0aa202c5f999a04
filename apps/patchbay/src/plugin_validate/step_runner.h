// Runs steps in child processes, so that a crash or hang fails only its step: the next one gets a new child.
#pragma once

#include "plugin_validate/step.h"

namespace patchbay::app::validate {

// Time limit of one step; then the child is killed.
constexpr int kStepSec = 180;

// A step that fails after this time has most likely waited for an answer that the plugin never gives.
constexpr int64_t kSlowMs = 14'000;
// After this many slow failures in a group (the name up to the colon) the rest of the group is skipped.
constexpr int kMaxSlow = 2;

// Callbacks, called in order: before each step, and with its result.
struct Progress {
  std::function<void(const std::string& name)> begun;
  std::function<void(const Result& result)> ended;
};

// Runs `steps` in order and returns their results. The fuzz step may take `subject.fuzz_sec` longer than
// kStepSec. When "life: start and stop" fails, steps that depend on it are skipped. The calling process must
// be single-threaded, because it forks.
std::vector<Result> run_in_children(const Subject& subject, const std::vector<Step>& steps,
                                    const Progress& progress = {});

}  // namespace patchbay::app::validate
