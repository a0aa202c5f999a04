// Strands, worker jobs and timers.
#pragma once

#include "host.h"

namespace patchbay {

// [any] Runs f() on a strand; drops it when the strand is closed.
template <class F>
void post(const Host& host, StrandId strand, F f) {
  auto* task = new OneShot<F>{host, "post", std::move(f)};
  if (host.runtime->strand_post(host.self, strand, &OneShot<F>::run, task) != PB_OK) delete task;
}

// [any] Runs f() on a strand like post(), but on the calling thread, before this returns, if the strand is
// idle. For threads of the plugin that serve requests. Returns late, or never, if a task that it runs hangs
// (abi/runtime.h).
template <class F>
void run_on(const Host& host, StrandId strand, F f) {
  if (!PB_HAS(host.runtime, strand_run)) return post(host, strand, std::move(f));
  auto* task = new OneShot<F>{host, "post", std::move(f)};
  if (host.runtime->strand_run(host.self, strand, &OneShot<F>::run, task) != PB_OK) delete task;
}

// [any] Runs f() on a worker thread, where it may block. Error: the queue is full; f is destroyed without
// running, so it must not own what has to survive.
template <class F>
Status post_worker(const Host& host, F f) {
  auto* task = new OneShot<F>{host, "worker", std::move(f)};
  const int32_t status = host.runtime->worker_post(host.self, &OneShot<F>::run, task);
  if (status == PB_OK) return {};
  delete task;
  return {static_cast<Code>(status), "too much work is waiting"};
}

// Creates a strand. The destructor closes it; queued tasks still run.
class Strand {
 public:
  Strand(const Host& host, std::string_view name)
      : host_(&host), id_(host.runtime->strand_create(host.self, to_abi(name))) {}
  Strand(Strand&& other) noexcept : host_(other.host_), id_(std::exchange(other.id_, 0)) {}
  Strand& operator=(Strand&&) = delete;
  ~Strand() {
    close([] {});
  }

  StrandId id() const noexcept { return id_; }
  bool is_current() const noexcept { return host_->runtime->strand_is_current(host_->self, id_) != 0; }
  template <class F>
  void post(F f) const {
    patchbay::post(*host_, id_, std::move(f));
  }
  // done() runs as the strand's last task.
  template <class F>
  void close(F done) {
    if (id_ == 0) return;
    auto* task = new OneShot<F>{*host_, "strand close", std::move(done)};
    host_->runtime->strand_close(host_->self, std::exchange(id_, 0), &OneShot<F>::run, task);
  }

 private:
  const Host* host_;
  StrandId id_;
};

// A one-shot timer on a strand. Arming it again replaces it. Use and destroy it on its strand: then the
// callback does not run afterwards.
class Timer {
 public:
  explicit Timer(const Host& host, StrandId strand = kMainStrand) : host_(&host), strand_(strand) {}
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() { cancel(); }

  // Calls f() after `delay_ms` of the monotonic clock.
  void after_ms(int64_t delay_ms, Function<void()> f) {
    arm(PB_CLOCK_MONO, host_->mono_ns() + delay_ms * 1'000'000, std::move(f));
  }
  // Calls f() when the wall clock has reached `wall_ms`.
  void at_wall_ms(int64_t wall_ms, Function<void()> f) { arm(PB_CLOCK_WALL, wall_ms, std::move(f)); }
  void cancel() {
    if (id_ == 0) return;
    host_->runtime->timer_close(
        host_->self, std::exchange(id_, 0), [](void* user) noexcept { delete static_cast<State*>(user); },
        std::exchange(state_, nullptr));
  }
  bool armed() const noexcept { return id_ != 0 && !state_->fired; }

 private:
  struct State {
    const Host& host;
    Function<void()> f;
    bool fired = false;
  };
  static void fire(void* user) noexcept {
    auto* state = static_cast<State*>(user);
    state->fired = true;
    // Moved out, because f may arm or destroy the timer, and with it the state.
    Function<void()> f = std::move(state->f);
    const Host& host = state->host;
    guard_void([&] { f(); }, [&](const char* text) { host.log_thrown("timer", text); });
  }
  void arm(uint32_t clock, int64_t due, Function<void()> f) {
    cancel();
    state_ = new State{*host_, std::move(f)};
    id_ = host_->runtime->timer_start(host_->self, strand_, clock, due, &Timer::fire, state_);
  }

  const Host* host_;
  StrandId strand_;
  uint64_t id_ = 0;
  State* state_ = nullptr;  // owned; freed when the close is done
};

}  // namespace patchbay
