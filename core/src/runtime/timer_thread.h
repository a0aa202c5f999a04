// TimerThread: drives a TimerQueue in real time with two timerfds. When the wall clock is set, the kernel
// reports it (TFD_TIMER_CANCEL_ON_SET), and timers that are due by the new time fire at once.
#pragma once

#include <atomic>
#include <thread>

#include "patchbay/descriptor.h"
#include "patchbay/result.h"
#include "runtime/timer_queue.h"

namespace patchbay::core {

class TimerThread {
 public:
  explicit TimerThread(TimerQueue& queue);
  ~TimerThread();

  // No timer fires afterwards. Armed timers stay in the queue, and more may be armed.
  void stop();

  // Call once. Fails when the kernel gives no descriptors.
  Status start();

 private:
  void run();
  void arm(int fd, int flags, int64_t due_ns);
  void wake() noexcept;

  // borrowed
  TimerQueue& queue_;
  // owned
  Descriptor mono_fd_;
  Descriptor wall_fd_;
  Descriptor wake_fd_;
  std::thread thread_;
  // state
  std::atomic<bool> stopping_{false};
};

}  // namespace patchbay::core
