// TimerThread: drives a TimerQueue in real time, by two timerfds. When the wall clock is set, the kernel says
// so (TFD_TIMER_CANCEL_ON_SET) and what is due by the new time fires at once.
#pragma once

#include <thread>

#include "patchbay/result.h"
#include "runtime/timer_queue.h"

namespace patchbay::core {

class TimerThread {
 public:
  explicit TimerThread(TimerQueue& queue);
  ~TimerThread();

  // Nothing fires afterwards; what is armed stays in the queue, which may still be armed.
  void stop();

  // Fails when the kernel gives no descriptors. Once.
  Status start();

 private:
  void run();
  void arm(int fd, int flags, int64_t due_ns);
  void wake() noexcept;

  // borrowed
  TimerQueue& queue_;
  // owned
  int mono_fd_ = -1;
  int wall_fd_ = -1;
  int wake_fd_ = -1;
  std::thread thread_;
  // state
  std::atomic<bool> stopping_{false};
};

}  // namespace patchbay::core
