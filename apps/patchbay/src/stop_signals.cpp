#include "stop_signals.h"

#include <pthread.h>

#include <algorithm>
#include <initializer_list>

namespace patchbay::app {

StopSignals::StopSignals() {
  std::signal(SIGPIPE, SIG_IGN);
  sigemptyset(&waited_);
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGIO}) sigaddset(&waited_, number);
  pthread_sigmask(SIG_BLOCK, &waited_, nullptr);
}

int StopSignals::wait() {
  int number = 0;
  while (sigwait(&waited_, &number) != 0) {
  }
  return number;
}

int StopSignals::wait_for(std::chrono::milliseconds limit) {
  const timespec most{limit.count() / 1000, limit.count() % 1000 * 1'000'000};
  return std::max(sigtimedwait(&waited_, nullptr, &most), 0);
}

void StopSignals::restore_defaults() {
  std::signal(SIGHUP, SIG_IGN);
  std::signal(SIGIO, SIG_IGN);
  pthread_sigmask(SIG_UNBLOCK, &waited_, nullptr);
}

}  // namespace patchbay::app
