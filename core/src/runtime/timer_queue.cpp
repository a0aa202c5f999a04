#include "runtime/timer_queue.h"

#include "runtime/thread_kind.h"

namespace patchbay::core {

class TimerQueue::Timer final : public Registration {
 public:
  Timer(TimerQueue& queue, Ref<Strand> on, TimerClock of, Key at, CallFn callback, void* context)
      : Registration(std::move(on)),
        queue_(queue),
        clock(of),
        key(at),
        fn_(callback),
        user_(context),
        fire_(*this) {}

  // Takes over a reference from the caller and releases it once the timer has run.
  void post() noexcept {
    if (strand().push(fire_)) return;
    queue_.forget(key.second);
    release();
  }

 private:
  struct Fire : Task {
    explicit Fire(Timer& timer) noexcept
        : Task([](Task& task) noexcept { static_cast<Fire&>(task).self.run(); }), self(timer) {}
    Timer& self;
  };

  void run() noexcept {
    if (open()) {
      const CallbackScope what("timer");
      fn_(user_);
    }
    // Not earlier: while it runs, cancel() on another thread must find it to wait for its end.
    queue_.forget(key.second);
    release();
  }

  TimerQueue& queue_;

 public:
  const TimerClock clock;
  const Key key;

 private:
  const CallFn fn_;
  void* const user_;
  Fire fire_;
};

TimerQueue::TimerQueue() = default;
TimerQueue::~TimerQueue() = default;

TimerId TimerQueue::arm(TimerClock clock, int64_t due, Strand& strand, CallFn fn, void* user) {
  TimerId id = 0;
  bool earliest = false;
  {
    const std::lock_guard lock(mutex_);
    id = ++last_id_;
    const Key key{due, id};
    auto timer = make_ref<Timer>(*this, Ref<Strand>(&strand), clock, key, fn, user);
    auto& queue = pending(clock);
    const auto place = queue.emplace(key, timer.get()).first;
    earliest = place == queue.begin();
    timers_.emplace(id, std::move(timer));
  }
  if (earliest && earlier_) earlier_(earlier_user_);
  return id;
}

Status TimerQueue::cancel(TimerId id, CallFn done, void* user) {
  Ref<Timer> timer;
  {
    const std::lock_guard lock(mutex_);
    const auto found = timers_.find(id);
    if (found == timers_.end()) return {Code::not_found, "no such timer, or it has run"};
    timer = std::move(found->second);
    timers_.erase(found);
    pending(timer->clock).erase(timer->key);
  }
  timer->close(done, user);
  return {};
}

void TimerQueue::fire_due(TimerClock clock, int64_t now) {
  for (;;) {
    Ref<Timer> timer;
    {
      const std::lock_guard lock(mutex_);
      auto& queue = pending(clock);
      if (queue.empty() || queue.begin()->first.first > now) return;
      timer = Ref<Timer>(queue.begin()->second);
      queue.erase(queue.begin());
    }
    timer.detach()->post();
  }
}

std::optional<int64_t> TimerQueue::next_due(TimerClock clock) {
  const std::lock_guard lock(mutex_);
  auto& queue = pending(clock);
  if (queue.empty()) return std::nullopt;
  return queue.begin()->first.first;
}

void TimerQueue::on_earlier(CallFn fn, void* user) {
  earlier_ = fn;
  earlier_user_ = user;
}

size_t TimerQueue::size() {
  const std::lock_guard lock(mutex_);
  return timers_.size();
}

void TimerQueue::forget(TimerId id) {
  Ref<Timer> timer;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  const auto found = timers_.find(id);
  if (found == timers_.end()) return;
  timer = std::move(found->second);
  timers_.erase(found);
}

}  // namespace patchbay::core
