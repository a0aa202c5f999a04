// Private to the library: the event loop of an IoThread.
#pragma once

#include <sys/epoll.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "websocket/io_thread.h"
#include "websocket/resolver.h"
#include "websocket/signal_queue.h"
#include "websocket/tls_contexts.h"

namespace patchbay::lib {

// A one-shot timer of the loop. Its thread only.
struct LoopTimer {
  std::multimap<int64_t, std::shared_ptr<LoopTimer>>::iterator place;
  bool armed = false;
  std::function<void()> callback;
};

class IoThread::Impl {
 public:
  // Owns a file descriptor that the loop watches.
  class Watched {
   public:
    virtual ~Watched() = default;
    virtual void on_ready(uint32_t events) = 0;  // EPOLLIN, EPOLLOUT, EPOLLERR, EPOLLHUP
  };

  explicit Impl(std::shared_ptr<TlsContexts> contexts);
  ~Impl();  // after the thread
  void run();
  void request_stop();  // [any]

  void post(std::function<void()> task);                               // [any]
  void trigger(const std::shared_ptr<SignalQueue::Signal>&) noexcept;  // [any, lock-free]

  // [thread] Watches a descriptor, level-triggered, and keeps its owner alive until unwatch(). Returns false
  // if the system refuses.
  bool watch(int fd, std::shared_ptr<Watched> owner, uint32_t events);
  void set_events(int fd, Watched& owner, uint32_t events);
  void unwatch(int fd, Watched& owner);

  // [thread]
  void arm(const std::shared_ptr<LoopTimer>& timer, int64_t delay_ms);
  void disarm(LoopTimer& timer);
  // Returns a key to mask a frame with, from the kernel's random numbers.
  uint32_t mask_key();

  const std::shared_ptr<TlsContexts> tls;  // shared by the threads of an engine
  Resolver resolver;
  std::thread thread;

 private:
  static int64_t now_ns();
  void wake() noexcept;
  void run_tasks();
  void run_timers();
  int timeout_ms() const;
  void wait();

  // owned
  int epoll_ = -1;
  int event_ = -1;  // wakes the loop; edge-triggered, so that it needs no read
  SignalQueue signals_;
  std::mutex mutex_;
  std::vector<std::function<void()>> tasks_;  // guarded by mutex_
  // state of the thread
  std::atomic<bool> stop_{false};
  std::vector<std::function<void()>> running_;
  std::multimap<int64_t, std::shared_ptr<LoopTimer>> timers_;  // by their time in ns
  std::unordered_map<Watched*, std::shared_ptr<Watched>> watched_;
  std::array<epoll_event, 64> ready_{};
  int ready_count_ = 0;
  std::array<uint32_t, 64> mask_keys_{};
  size_t mask_keys_left_ = 0;
};

}  // namespace patchbay::lib
