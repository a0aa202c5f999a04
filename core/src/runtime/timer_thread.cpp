#include "runtime/timer_thread.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>

#include "runtime/clock.h"

namespace patchbay::core {
namespace {

// Drains a timerfd or eventfd. ECANCELED (the clock was set) needs no handling beyond the wake-up.
void drain(int fd) {
  uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = read(fd, &count, sizeof count);
}

}  // namespace

TimerThread::TimerThread(TimerQueue& queue) : queue_(queue) {}

TimerThread::~TimerThread() { stop(); }

void TimerThread::stop() {
  if (!thread_.joinable()) return;
  stopping_ = true;
  wake();
  thread_.join();
}

Status TimerThread::start() {
  mono_fd_ = Descriptor(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  wall_fd_ = Descriptor(timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK));
  wake_fd_ = Descriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!mono_fd_ || !wall_fd_ || !wake_fd_)
    return {Code::exhausted, "cannot open timer descriptors; raise the open files limit"};
  queue_.on_earlier([](void* self) { static_cast<TimerThread*>(self)->wake(); }, this);
  thread_ = std::thread([this] { run(); });
  return {};
}

void TimerThread::run() {
  pthread_setname_np(pthread_self(), "pb-timer");
  while (!stopping_) {
    if (const auto due = queue_.next_due(TimerClock::mono)) arm(mono_fd_.get(), TFD_TIMER_ABSTIME, *due);
    if (const auto due = queue_.next_due(TimerClock::wall)) {
      const int64_t due_ms = std::clamp<int64_t>(*due, 0, INT64_MAX / 1'000'000);
      arm(wall_fd_.get(), TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, due_ms * 1'000'000);
    }
    pollfd fds[] = {{mono_fd_.get(), POLLIN, 0}, {wall_fd_.get(), POLLIN, 0}, {wake_fd_.get(), POLLIN, 0}};
    poll(fds, 3, -1);
    for (const auto& fd : fds)
      if (fd.revents) drain(fd.fd);
    queue_.fire_due(TimerClock::mono, system_mono_clock().now_ns());
    queue_.fire_due(TimerClock::wall, system_wall_clock().now_ms());
  }
}

void TimerThread::arm(int fd, int flags, int64_t due_ns) {
  due_ns = std::max<int64_t>(due_ns, 1);  // zero would disarm
  itimerspec spec{};
  spec.it_value.tv_sec = due_ns / 1'000'000'000;
  spec.it_value.tv_nsec = due_ns % 1'000'000'000;
  timerfd_settime(fd, flags, &spec, nullptr);
}

void TimerThread::wake() noexcept {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t put = write(wake_fd_.get(), &one, sizeof one);
}

}  // namespace patchbay::core
