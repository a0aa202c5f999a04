#include "websocket/io_thread_impl.h"

#include <openssl/rand.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace patchbay::lib {
namespace {

// An exception means that memory is exhausted: the call is lost, the thread and all other clients go on.
template <class F>
void guarded(F&& call) noexcept {
  try {
    call();
  } catch (...) {
  }
}

// At most 256 bytes, which getrandom() never cuts short. A sandbox may forbid it.
void fill_random(void* to, size_t size) {
  ssize_t got = 0;
  do {
    got = ::getrandom(to, size, 0);
  } while (got < 0 && errno == EINTR);
  if (got < 0 && ::RAND_bytes(static_cast<unsigned char*>(to), static_cast<int>(size)) != 1)
    throw std::runtime_error("no random numbers");
}

}  // namespace

IoThread::Impl::Impl(std::shared_ptr<TlsContexts> contexts) : tls(std::move(contexts)) {
  epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
  event_ = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  epoll_event wake{};
  wake.events = EPOLLIN | EPOLLET;
  if (epoll_ < 0 || event_ < 0 || ::epoll_ctl(epoll_, EPOLL_CTL_ADD, event_, &wake) != 0) {
    const int error = errno;
    ::close(epoll_);
    ::close(event_);
    throw std::system_error(error, std::generic_category(), "io thread");
  }
}

IoThread::Impl::~Impl() {
  // Each may own the others, and all use the descriptors below.
  running_.clear();
  tasks_.clear();
  for (auto& [due, timer] : timers_) timer->callback = nullptr;
  timers_.clear();
  watched_.clear();
  ::close(event_);
  ::close(epoll_);
}

int64_t IoThread::Impl::now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void IoThread::Impl::wake() noexcept {
  const uint64_t one = 1;
  (void)!::write(event_, &one, sizeof one);
}

void IoThread::Impl::post(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  if (signals_.set_awake()) wake();
}

void IoThread::Impl::request_stop() {
  post([this] { stop_ = true; });
}

void IoThread::Impl::trigger(const std::shared_ptr<SignalQueue::Signal>& signal) noexcept {
  if (signals_.push(signal)) wake();
}

void IoThread::Impl::run() {
  while (!stop_) {
    run_tasks();
    signals_.run_queued();
    run_timers();
    if (!stop_) wait();
  }
}

void IoThread::Impl::run_tasks() {
  {
    const std::lock_guard lock(mutex_);
    running_.swap(tasks_);
  }
  for (auto& task : running_) {
    guarded(task);
    task = nullptr;
  }
  running_.clear();
}

void IoThread::Impl::run_timers() {
  const int64_t now = timers_.empty() ? 0 : now_ns();
  while (!timers_.empty() && timers_.begin()->first <= now) {
    const auto timer = std::move(timers_.begin()->second);
    timers_.erase(timers_.begin());
    timer->armed = false;
    const auto callback = std::exchange(timer->callback, nullptr);
    if (callback) guarded(callback);
  }
}

// Until the next timer, -1 without one.
int IoThread::Impl::timeout_ms() const {
  if (timers_.empty()) return -1;
  const int64_t left_ns = timers_.begin()->first - now_ns();
  return static_cast<int>(std::clamp<int64_t>((left_ns + 999'999) / 1'000'000, 0, 3'600'000));
}

void IoThread::Impl::wait() {
  int timeout = 0;
  if (signals_.try_sleep()) {
    const std::lock_guard lock(mutex_);
    if (tasks_.empty()) timeout = timeout_ms();
  }
  ready_count_ = ::epoll_wait(epoll_, ready_.data(), static_cast<int>(ready_.size()), timeout);
  signals_.set_awake();
  for (int i = 0; i < ready_count_; ++i) {
    const epoll_event& event = ready_[static_cast<size_t>(i)];
    if (event.data.ptr == nullptr) continue;
    guarded([&] {
      const auto owner = watched_.find(static_cast<Watched*>(event.data.ptr));
      if (owner == watched_.end()) return;
      const std::shared_ptr<Watched> keep = owner->second;
      keep->on_ready(event.events);
    });
  }
  ready_count_ = 0;
}

bool IoThread::Impl::watch(int fd, std::shared_ptr<Watched> owner, uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = owner.get();
  watched_[owner.get()] = owner;
  if (::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event) == 0) return true;
  watched_.erase(owner.get());
  return false;
}

void IoThread::Impl::set_events(int fd, Watched& owner, uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = &owner;
  (void)::epoll_ctl(epoll_, EPOLL_CTL_MOD, fd, &event);
}

void IoThread::Impl::unwatch(int fd, Watched& owner) {
  epoll_event unused{};
  (void)::epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, &unused);
  // Its other events of this turn are void, also for an owner that is made at the same address.
  for (int i = 0; i < ready_count_; ++i)
    if (ready_[static_cast<size_t>(i)].data.ptr == &owner) ready_[static_cast<size_t>(i)].data.ptr = nullptr;
  watched_.erase(&owner);
}

void IoThread::Impl::arm(const std::shared_ptr<LoopTimer>& timer, int64_t delay_ms) {
  const int64_t due = now_ns() + delay_ms * 1'000'000;
  if (timer->armed) {
    auto node = timers_.extract(timer->place);
    node.key() = due;
    timer->place = timers_.insert(std::move(node));
    return;
  }
  timer->place = timers_.emplace(due, timer);
  timer->armed = true;
}

void IoThread::Impl::disarm(LoopTimer& timer) {
  if (!std::exchange(timer.armed, false)) return;
  timers_.erase(timer.place);
}

uint32_t IoThread::Impl::mask_key() {
  if (mask_keys_left_ == 0) {
    fill_random(mask_keys_.data(), sizeof mask_keys_);
    mask_keys_left_ = mask_keys_.size();
  }
  return mask_keys_[--mask_keys_left_];
}

}  // namespace patchbay::lib
