// Runs steps in child processes: a step that crashes or hangs is a result, and the next goes on in another
// child.
#pragma once

#include "step.h"

namespace patchbay::app::validate {

// Of one step; then the child is killed.
constexpr int kStepSec = 180;

// A check that failed after so long has waited for something that does not come.
constexpr int64_t kSlowMs = 14'000;
// So many of a group (the name up to the colon): the rest of the group is left out.
constexpr int kMostSlow = 2;

// Called in order: before a step runs, and with its result.
struct Progress {
  std::function<void(const std::string& name)> begun;
  std::function<void(const Result& result)> ended;
};

// In order. A fuzz run has its own time on top. When the plugin does not start and stop by itself, what needs
// that is left out. The calling process must have one thread.
std::vector<Result> run_in_children(const Subject& subject, const std::vector<Step>& steps,
                                    const Progress& progress = {});

}  // namespace patchbay::app::validate
