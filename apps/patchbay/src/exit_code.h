// What the program's exit code says; also in `patchbay --help`.
#pragma once

namespace patchbay::app {

enum ExitCode : int {
  kDone = 0,
  kRefused = 1,        // the server said no, or the call that was watched did not succeed
  kUsage = 2,          // the command line is wrong
  kUnreachable = 3,    // no server at the admin socket
  kConfiguration = 4,  // the configuration, or a plugin's file, is wrong
};

}  // namespace patchbay::app
