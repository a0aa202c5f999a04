// LoopOwner: the one thread that may touch an event loop and its connections. The owner gives the loop up for
// each handler call. A call that blocks loses it: another thread takes the loop over, for ever.
#pragma once

#include <atomic>
#include <cstdint>

namespace patchbay::rest_api {

class LoopOwner {
 public:
  // A handler call; never 0, never used twice.
  using Call = uint64_t;

  // [owner] Gives the loop up for a handler call.
  Call release() noexcept {
    const Call call = state_.load(std::memory_order_relaxed) + 1;
    state_.store(call, std::memory_order_release);
    return call;
  }
  // [thread of the call] Takes the loop back. False: another thread has taken it over.
  bool reclaim(Call call) noexcept { return end(call); }
  // [any] Takes the loop over from the thread that is in this call. False: the call has ended.
  bool take_over(Call call) noexcept { return end(call); }
  // [any] The handler call that is running; 0: none.
  Call running() const noexcept {
    const Call state = state_.load(std::memory_order_relaxed);
    return state % 2 == 1 ? state : 0;
  }

 private:
  bool end(Call call) noexcept {
    return state_.compare_exchange_strong(call, call + 1, std::memory_order_acq_rel,
                                          std::memory_order_relaxed);
  }

  std::atomic<Call> state_{0};  // odd during a call
};

}  // namespace patchbay::rest_api
