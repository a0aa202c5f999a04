// Descriptors, timers and posts on media loops, in C++. See abi/media.h: what is called there must not
// allocate, lock or log, and must be short, because a tick waits for it.
//
//   class Receiver {
//     void start() {
//       watch_.open<&Receiver::on_ready>(socket_.get(), *this);
//       post_to_loop<&Receiver::on_loop>(host_, 0, *this);
//     }
//     void on_loop() { watch_.set(PB_READY_READ); }             // [media]
//     void on_ready(const pb_ready&) { ...recv() a few... }     // [media]
//     LoopWatch watch_{host_};
//   };
//
// No such object, nor the one that it calls, may be destroyed before close() has called done().
#pragma once

#include <atomic>

#include "host.h"
#include "strand.h"

namespace patchbay {

namespace detail {

// Calls done() on the main strand, from a close that ends on a media loop.
template <class F>
struct LoopClose {
  static void run(void* user) noexcept {
    const Host& host = static_cast<OneShot<F>*>(user)->host;
    host.runtime->strand_post(host.self, kMainStrand, &OneShot<F>::run, user);
  }
};

// The handle of a watch or a timer, and whether its callback has thrown.
class LoopHandle {
 public:
  explicit LoopHandle(const Host& host) : host_(&host) {}
  LoopHandle(const LoopHandle&) = delete;
  LoopHandle& operator=(const LoopHandle&) = delete;

 protected:
  template <class F>
  void close_with(void (*end)(void*, uint64_t, pb_fn, void*) PB_NOEXCEPT, F done) {
    if (id_ == 0) return post(*host_, kMainStrand, std::move(done));
    auto* task = new OneShot<F>{*host_, "close on a media loop", std::move(done)};
    end(host_->self, std::exchange(id_, 0), &LoopClose<F>::run, task);
  }
  // [media] Calls f() unless it has thrown before. False: it threw, which is logged.
  template <class F>
  bool run(const char* where, F f) noexcept {
    if (broken_) return false;
    guard_void([&] { f(); },
               [&](const char* text) {
                 broken_ = true;
                 host_->log_thrown(where, text);
               });
    return !broken_;
  }

  const Host* host_;
  uint64_t id_ = 0;
  void* object_ = nullptr;
  bool broken_ = false;  // [media]
};

inline Error no_loop_object() { return {Code::exhausted, "too much is open on media loops"}; }

}  // namespace detail

// Watches a descriptor on the media loop where it is set, on one at a time.
class LoopWatch : public detail::LoopHandle {
 public:
  using LoopHandle::LoopHandle;

  // [any] From set() on, (object.*Method)(const pb_ready&) is called [media] while the descriptor is ready,
  // which must stay open until close() has called done(). If it throws, that is logged and the watch set to
  // nothing.
  template <auto Method, class T>
  Status open(int fd, T& object) {
    PB_NEEDS(PB_MEDIA_ID, host_->media, watch_open);
    object_ = &object;
    id_ = host_->media->watch_open(host_->self, fd, &LoopWatch::ready<Method, T>, this);
    return id_ != 0 ? Status() : detail::no_loop_object();
  }
  bool is_open() const noexcept { return id_ != 0; }
  // [media] The loop that runs waits for `events` (PB_READY_READ, PB_READY_WRITE) from now on; 0: for
  // nothing. Errors: pb_media.watch_set.
  Code set(uint32_t events) noexcept {
    return static_cast<Code>(host_->media->watch_set(host_->self, id_, events));
  }
  // [any, not media] Calls done() on the main strand after the last call, also if it is not open.
  template <class F>
  void close(F done) {
    close_with(id_ != 0 ? host_->media->watch_close : nullptr, std::move(done));
  }

 private:
  template <auto Method, class T>
  static void ready(void* user, const pb_ready* ready) noexcept {
    auto& self = *static_cast<LoopWatch*>(user);
    if (!self.run("a descriptor's watch", [&] { (static_cast<T*>(self.object_)->*Method)(*ready); }))
      self.set(0);
  }
};

// A one-shot timer on the media loop where it is set, with a granularity of 1 ms.
class LoopTimer : public detail::LoopHandle {
 public:
  using LoopHandle::LoopHandle;

  // [any] (object.*Method)(const pb_tick&) is called [media] once for each time it is set.
  template <auto Method, class T>
  Status open(T& object) {
    PB_NEEDS(PB_MEDIA_ID, host_->media, loop_timer_open);
    object_ = &object;
    id_ = host_->media->loop_timer_open(host_->self, &LoopTimer::due<Method, T>, this);
    return id_ != 0 ? Status() : detail::no_loop_object();
  }
  bool is_open() const noexcept { return id_ != 0; }
  // [media] Called on the loop that runs, once the monotonic clock has reached `due_ns`; 0: not at all.
  // Errors: pb_media.loop_timer_set.
  Code set(int64_t due_ns) noexcept {
    return static_cast<Code>(host_->media->loop_timer_set(host_->self, id_, due_ns));
  }
  // [any, not media] Calls done() on the main strand after the last call, also if it is not open.
  template <class F>
  void close(F done) {
    close_with(id_ != 0 ? host_->media->loop_timer_close : nullptr, std::move(done));
  }

 private:
  template <auto Method, class T>
  static void due(void* user, const pb_tick* tick) noexcept {
    auto& self = *static_cast<LoopTimer*>(user);
    self.run("a media timer", [&] { (static_cast<T*>(self.object_)->*Method)(*tick); });
  }
};

// [any] [media] Calls (object.*Method)() [media] on that loop, soon, in the order of posting. Allocates
// nothing; `object` must live until then. Errors: pb_media.loop_post; unsupported: the core is too old.
template <auto Method, class T>
Code post_to_loop(const Host& host, uint32_t loop, T& object) noexcept {
  if (!PB_HAS(host.media, loop_post)) return Code::unsupported;
  const auto run = [](void* user) noexcept { (static_cast<T*>(user)->*Method)(); };
  return static_cast<Code>(host.media->loop_post(host.self, loop, run, &object));
}

// A task of one object for media loops, posted any number of times, from any thread.
class LoopTask {
 public:
  explicit LoopTask(const Host& host) : host_(&host) {}
  LoopTask(const LoopTask&) = delete;
  LoopTask& operator=(const LoopTask&) = delete;

  // [any] [media] As post_to_loop(). gone: it is closed.
  template <auto Method, class T>
  Code post(uint32_t loop, T& object) noexcept {
    uint32_t state = state_.load(std::memory_order_acquire);
    do {
      if ((state & kClosed) != 0) return Code::gone;
    } while (!state_.compare_exchange_weak(state, state + 1, std::memory_order_acq_rel));
    object_.store(&object, std::memory_order_release);
    const Code posted = post_to_loop<&LoopTask::run<Method, T>>(*host_, loop, *this);
    if (posted != Code::ok) leave();
    return posted;
  }
  // [any, not media] Calls done() on the main strand once what was posted has run.
  template <class F>
  void close(F done) {
    last_ = new OneShot<F>{*host_, "close of a task on a media loop", std::move(done)};
    run_last_ = &OneShot<F>::run;
    if (state_.fetch_or(kClosed, std::memory_order_acq_rel) == 0) finish();
  }

 private:
  static constexpr uint32_t kClosed = 1u << 31;

  template <auto Method, class T>
  void run() noexcept {
    if (!broken_) {
      guard_void([&] { (static_cast<T*>(object_.load(std::memory_order_acquire))->*Method)(); },
                 [&](const char* text) {
                   broken_ = true;
                   host_->log_thrown("a task on a media loop", text);
                 });
    }
    leave();
  }
  void leave() noexcept {
    if (state_.fetch_sub(1, std::memory_order_acq_rel) == (kClosed | 1)) finish();
  }
  // While the queue of the main strand is full, tries again on a loop.
  void finish() noexcept {
    if (host_->runtime->strand_post(host_->self, kMainStrand, run_last_, last_) == PB_E_EXHAUSTED)
      static_cast<void>(post_to_loop<&LoopTask::finish>(*host_, 0, *this));
  }

  const Host* host_;
  std::atomic<uint32_t> state_{0};  // how many are posted, and kClosed
  std::atomic<void*> object_{nullptr};
  std::atomic<bool> broken_{false};
  void* last_ = nullptr;
  pb_fn run_last_ = nullptr;
};

}  // namespace patchbay
