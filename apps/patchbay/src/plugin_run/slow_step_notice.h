// SlowStepNotice: prints on standard error what the program waits for, when that takes long.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace patchbay::app {

// Prints "patchbay: " and `what` as one line, unless it is destroyed within two seconds.
class SlowStepNotice {
 public:
  explicit SlowStepNotice(std::string what);
  ~SlowStepNotice();
  SlowStepNotice(const SlowStepNotice&) = delete;
  SlowStepNotice& operator=(const SlowStepNotice&) = delete;

 private:
  void run(const std::string& what);

  std::mutex mutex_;  // guards done_
  std::condition_variable changed_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace patchbay::app
