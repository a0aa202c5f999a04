#include "engine/session_threads.h"

#include <algorithm>
#include <utility>

namespace patchbay::lib {

SessionThreads::SessionThreads(IoThreads& io, StallLimits limits) : io_(io), limits_(limits) {
  for (size_t i = 0; i < io_.size(); ++i) threads_.push_back({IoWatch(io_[i])});
}

std::optional<size_t> SessionThreads::choose() {
  std::optional<size_t> best;
  for (size_t i = 0; i < threads_.size(); ++i) {
    if (threads_[i].stalled_ms >= limits_.stall_ms) continue;
    if (!best || threads_[i].sessions < threads_[*best].sessions) best = i;
  }
  const bool enough = best && threads_[*best].sessions < kSessionsPerThread;
  if (!enough && add_thread()) return threads_.size() - 1;
  return best;
}

bool SessionThreads::add_thread() {
  if (!io_.add()) return false;
  threads_.push_back({IoWatch(io_[io_.size() - 1])});
  return true;
}

SessionThreads::Check SessionThreads::check() {
  Check out;
  for (size_t i = 0; i < threads_.size(); ++i) {
    Thread& thread = threads_[i];
    const IoWatch::Sample sample = thread.watch.sample();
    thread.stalled_ms = sample.waiting_ms;
    out.lag_ms = std::max({out.lag_ms, sample.waiting_ms, sample.lag_ms});
    const bool stuck = thread.stalled_ms >= limits_.stall_ms;
    if (std::exchange(thread.reported, stuck) != stuck)
      out.changes.push_back({i, stuck, stuck ? sample.waiting_ms : sample.lag_ms, thread.sessions});
    if (stuck && thread.stalled_ms >= limits_.give_up_ms) out.given_up.push_back(i);
  }
  return out;
}

}  // namespace patchbay::lib
