// StopSignals: blocks SIGTERM, SIGINT, SIGHUP and SIGIO, so that the main thread can wait for them, and
// ignores SIGPIPE. Construct it before any other thread, because threads inherit the mask.
#pragma once

#include <chrono>
#include <csignal>

namespace patchbay::app {

class StopSignals {
 public:
  StopSignals();

  // Returns the next signal.
  int wait();
  // Returns 0 when none comes within the limit.
  int wait_for(std::chrono::milliseconds limit);
  // Unblocks SIGTERM and SIGINT, so that a second one kills the process at once (the store survives that),
  // and ignores SIGHUP and SIGIO.
  void restore_defaults();

 private:
  sigset_t waited_;
};

}  // namespace patchbay::app
