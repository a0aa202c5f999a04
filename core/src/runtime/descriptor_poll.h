// DescriptorPoll: waits for descriptors, a wake-up from another thread, and a time, all at once (epoll). One
// thread waits and changes what is waited for; any thread may wake it.
#pragma once

#include <patchbay/descriptor.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "patchbay/result.h"

namespace patchbay::core {

class DescriptorPoll {
 public:
  static constexpr size_t kBatch = 64;  // descriptors reported by one wait()

  DescriptorPoll();

  // False when the process has no descriptors left.
  bool is_open() const noexcept { return poll_ && wake_; }

  // Changes what is waited for from `before` to `now`, LoopWatch::k... flags; 0: nothing. `user` is what
  // wait() reports. Code::invalid: the descriptor is closed, or cannot be waited for. Code::conflict: it is
  // waited for with another `user`.
  Code set(int fd, uint32_t before, uint32_t now, void* user) noexcept;

  struct Ready {
    void* user;
    uint32_t events;
  };
  // Returns the number of ready descriptors in `out`. Waits at most so long for the first; 0: not at all;
  // negative: without limit.
  size_t wait(int64_t timeout_ns, std::array<Ready, kBatch>& out) noexcept;

  // [any] Ends the wait() that runs, or the next one.
  void wake() noexcept;

 private:
  Descriptor poll_;
  Descriptor wake_;
};

}  // namespace patchbay::core
