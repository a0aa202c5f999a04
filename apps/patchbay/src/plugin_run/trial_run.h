// Runs one plugin in a small host with the real clock, for `patchbay plugin run`.
#pragma once

#include "plugin_run/trial_arguments.h"

namespace patchbay::app {

// Runs the trial and returns the exit code. Call it before starting threads, because it blocks signals for
// all of them.
int run_trial(const Trial& trial);

}  // namespace patchbay::app
