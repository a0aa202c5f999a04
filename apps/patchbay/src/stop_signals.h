// StopSignals: SIGTERM, SIGINT and SIGHUP as things the main thread waits for, SIGPIPE ignored. Make it
// before any other thread, which then inherits the block.
//
// After a first SIGTERM or SIGINT a second one ends the process at once: the store is safe against that.
#pragma once

#include <chrono>
#include <csignal>

namespace patchbay::app {

class StopSignals {
 public:
  StopSignals();

  // SIGTERM, SIGINT or SIGHUP, whichever comes.
  int wait();
  // 0: none within the limit.
  int wait_for(std::chrono::milliseconds limit);
  // From now on SIGTERM and SIGINT kill as they do by default, and SIGHUP is nothing.
  void let_through();

 private:
  sigset_t waited_;
};

}  // namespace patchbay::app
