// Runs steps in child processes: a step that crashes or hangs is a result, and the next goes on in another
// child.
#pragma once

#include "check.h"

namespace patchbay::app::validate {

// Of one step; then the child is killed.
constexpr int kStepSec = 180;

// In order. A fuzz run has its own time on top. The calling process must have one thread.
std::vector<Result> run_in_children(const Subject& subject, const std::vector<Step>& steps);

}  // namespace patchbay::app::validate
