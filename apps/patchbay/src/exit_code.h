// The exit codes of the program; `patchbay --help` documents them, too.
#pragma once

namespace patchbay::app {

enum ExitCode : int {
  kDone = 0,
  kRefused = 1,        // the server refused, or the watched call failed
  kUsage = 2,          // the command line is wrong
  kUnreachable = 3,    // no server answers at the admin socket
  kConfiguration = 4,  // the configuration, or a plugin's file, is wrong
};

}  // namespace patchbay::app
