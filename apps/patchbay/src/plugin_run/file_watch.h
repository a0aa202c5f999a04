// Runs a function in a child process, and again whenever a file has changed.
#pragma once

#include <patchbay/result.h>

#include <functional>
#include <string>

namespace patchbay::app {

// run() returns the child's exit code. Returns after SIGTERM or SIGINT, which stop the child first. The
// caller must be single-threaded, because this forks. Error: the file's folder cannot be watched.
Status watch_and_run(const std::string& file, const std::function<int()>& run);

}  // namespace patchbay::app
