// HandlerWatch: a thread that lets the server threads look for handler calls that block
// (ServerThread::check). It starts with the first connection and sleeps while there are none.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "lag.h"

namespace patchbay::rest_api {

class HandlerWatch {
 public:
  // Calls `check` every kHandlerCheckMs, between begin() and end().
  explicit HandlerWatch(std::function<void(Clock::time_point now)> check) : check_(std::move(check)) {}
  ~HandlerWatch() { stop(); }

  // [any] A server thread has connections; has none any more.
  void begin() noexcept;
  void end() noexcept;
  // Waits for a running check.
  void stop() noexcept;

 private:
  void run();

  const std::function<void(Clock::time_point now)> check_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int watched_ = 0;  // server threads with connections
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace patchbay::rest_api
