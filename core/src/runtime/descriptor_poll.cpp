#include "runtime/descriptor_poll.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "runtime/loop_object.h"

namespace patchbay::core {
namespace {

constexpr int64_t kNsPerMs = 1'000'000;
constexpr int64_t kNsPerS = 1'000'000'000;

uint32_t to_epoll(uint32_t events) noexcept {
  return ((events & LoopWatch::kReadable) != 0 ? uint32_t{EPOLLIN} : 0) |
         ((events & LoopWatch::kWritable) != 0 ? uint32_t{EPOLLOUT} : 0);
}

uint32_t from_epoll(uint32_t events) noexcept {
  return ((events & EPOLLIN) != 0 ? LoopWatch::kReadable : 0) |
         ((events & EPOLLOUT) != 0 ? LoopWatch::kWritable : 0) |
         ((events & (EPOLLERR | EPOLLHUP)) != 0 ? LoopWatch::kFailed : 0);
}

// Kernels before 5.11 lack epoll_pwait2(): there the wait is rounded up to whole milliseconds.
int wait_for(int poll, epoll_event* events, int count, int64_t timeout_ns) noexcept {
  static std::atomic<bool> has_pwait2{true};
  if (has_pwait2.load(std::memory_order_relaxed)) {
    const timespec timeout{time_t(timeout_ns / kNsPerS), long(timeout_ns % kNsPerS)};
    const int found = ::epoll_pwait2(poll, events, count, timeout_ns < 0 ? nullptr : &timeout, nullptr);
    if (found >= 0 || errno != ENOSYS) return found;
    has_pwait2.store(false, std::memory_order_relaxed);
  }
  const int64_t ms = timeout_ns < 0 ? -1 : std::min<int64_t>((timeout_ns + kNsPerMs - 1) / kNsPerMs, 60'000);
  return ::epoll_wait(poll, events, count, static_cast<int>(ms));
}

}  // namespace

DescriptorPoll::DescriptorPoll()
    : poll_(::epoll_create1(EPOLL_CLOEXEC)), wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  // Edge-triggered, so that each write wakes once and nothing has to be read.
  epoll_event event{};
  event.events = EPOLLIN | EPOLLET;
  if (is_open()) ::epoll_ctl(poll_.get(), EPOLL_CTL_ADD, wake_.get(), &event);
}

Code DescriptorPoll::set(int fd, uint32_t before, uint32_t now, void* user) noexcept {
  epoll_event event{};
  event.events = to_epoll(now);
  event.data.ptr = user;
  const int change = before == 0 ? EPOLL_CTL_ADD : now == 0 ? EPOLL_CTL_DEL : EPOLL_CTL_MOD;
  if (::epoll_ctl(poll_.get(), change, fd, &event) == 0) return Code::ok;
  if (errno == EEXIST) return Code::conflict;
  return errno == ENOMEM || errno == ENOSPC ? Code::exhausted : Code::invalid;
}

size_t DescriptorPoll::wait(int64_t timeout_ns, std::array<Ready, kBatch>& out) noexcept {
  std::array<epoll_event, kBatch> events;
  const int found = wait_for(poll_.get(), events.data(), static_cast<int>(events.size()), timeout_ns);
  size_t count = 0;
  for (int i = 0; i < found; ++i) {
    const epoll_event& event = events[static_cast<size_t>(i)];
    if (event.data.ptr != nullptr) out[count++] = {event.data.ptr, from_epoll(event.events)};
  }
  return count;
}

void DescriptorPoll::wake() noexcept {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &one, sizeof one);
}

}  // namespace patchbay::core
