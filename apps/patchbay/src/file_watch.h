// Runs a function in a process of its own, and again whenever a file has changed.
#pragma once

#include <patchbay/result.h>

#include <functional>
#include <string>

namespace patchbay::app {

// run() gives the child's exit code. Ends with SIGTERM or SIGINT, which end the child first. Call it before
// there is any thread. Error: the file's folder cannot be watched.
Status watch_and_run(const std::string& file, const std::function<int()>& run);

}  // namespace patchbay::app
