#include "handler_watch.h"

#include <pthread.h>

#include <chrono>
#include <system_error>

#include "limits.h"

namespace patchbay::rest_api {

void HandlerWatch::begin() noexcept {
  const std::lock_guard lock(mutex_);
  if (++watched_ == 1) changed_.notify_one();
  if (thread_.joinable() || stopping_) return;
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error&) {  // out of threads; the next begin() tries again
  }
}

void HandlerWatch::end() noexcept {
  const std::lock_guard lock(mutex_);
  --watched_;
}

void HandlerWatch::stop() noexcept {
  std::thread stopped;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    stopped.swap(thread_);
    changed_.notify_one();
  }
  if (stopped.joinable()) stopped.join();
}

void HandlerWatch::run() {
  pthread_setname_np(pthread_self(), "pb-http-watch");
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || watched_ > 0; });
    changed_.wait_for(lock, std::chrono::milliseconds(kHandlerCheckMs), [this] { return stopping_; });
    if (stopping_) return;
    lock.unlock();
    check_(Clock::now());
    lock.lock();
  }
}

}  // namespace patchbay::rest_api
