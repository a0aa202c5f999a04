#include "runtime/media_loop.h"

#include <algorithm>
#include <utility>

#include "runtime/limits.h"

namespace patchbay::core {
namespace {

thread_local constinit MediaLoop* current_loop = nullptr;

// Makes a loop the current one until the end of the scope.
class CurrentLoop {
 public:
  explicit CurrentLoop(MediaLoop& loop) noexcept : outer_(std::exchange(current_loop, &loop)) {}
  ~CurrentLoop() { current_loop = outer_; }
  CurrentLoop(const CurrentLoop&) = delete;
  CurrentLoop& operator=(const CurrentLoop&) = delete;

 private:
  MediaLoop* const outer_;
};

constexpr int64_t kTimerStepNs = 1'000'000;

}  // namespace

struct MediaLoop::Entry : Task {
  Entry(TickFn tick, void* context) noexcept
      : Task([](Task& task) noexcept {
          // Runs on the strand given to detach(), which holds the last pointer to the entry.
          auto& entry = static_cast<Entry&>(task);
          if (entry.done) entry.done(entry.done_user);
          delete &entry;
        }),
        fn(tick),
        self(context) {}

  const TickFn fn;
  void* const self;
  Entry* command_next = nullptr;  // link in `attaching`, later in `retired`
  Entry* detach_next = nullptr;
  // used by the loop
  Entry* before = nullptr;
  Entry* after = nullptr;
  // set by detach()
  std::atomic<bool> detached{false};
  Ref<Strand> strand;
  CallFn done = nullptr;
  void* done_user = nullptr;
};

struct MediaLoop::Commands {
  PushList<Entry, &Entry::command_next> attaching;
  PushList<Entry, &Entry::detach_next> detaching;
  // Detached on the loop, which may not free.
  PushList<Entry, &Entry::command_next> retired;
  PushList<LoopObject, &LoopObject::closing_next_> closing;
  PushList<Task, &Task::next> posts;
};

MediaLoop::MediaLoop(const MonoClock& clock, uint32_t index)
    : clock_(clock),
      index_(index),
      commands_(std::make_unique<Commands>()),
      begin_ns_(clock.now_ns()),
      deadline_ns_(begin_ns_ + kStepNs) {}

MediaLoop::~MediaLoop() {
  drain_stopped();
  for (Entry* entry = first_; entry;) delete std::exchange(entry, entry->after);
  free_retired();
}

AttachId MediaLoop::attach(TickFn fn, void* self) {
  free_retired();
  auto* entry = new Entry(fn, self);
  const AttachId id = entries_.add(entry);
  if (id == 0) {
    delete entry;
    return 0;
  }
  // Queued before the caller learns the id, so that its detach can only follow.
  commands_->attaching.push(*entry);
  attached_.fetch_add(1, std::memory_order_relaxed);
  notify_driver();
  return id;
}

Status MediaLoop::detach(AttachId id, Strand* strand, CallFn done, void* user) {
  Entry* entry = nullptr;
  if (const auto taken = entries_.take_pinned(id)) entry = *taken;
  if (!entry) return {Code::not_found, "nothing is attached"};  // short enough to need no malloc
  entry->strand = Ref<Strand>(strand);
  entry->done = done;
  entry->done_user = user;
  attached_.fetch_sub(1, std::memory_order_relaxed);
  entry->detached.store(true, std::memory_order_release);
  commands_->detaching.push(*entry);
  // The command is pushed before stopped_ is read, and stop() sets stopped_ before it takes the commands, so
  // one of the two completes this detach.
  if (stopped_.load()) drain_stopped();
  notify_driver();
  return {};
}

void MediaLoop::drain_stopped() noexcept {
  const std::lock_guard lock(stopped_mutex_);
  take_commands();
  Task* task = commands_->posts.take();
  while (task != nullptr) discard_call(*std::exchange(task, task->next));
}

Code MediaLoop::post(Task& task) noexcept {
  if (stopped_.load()) {
    discard_call(task);
    return Code::gone;
  }
  commands_->posts.push(task);
  if (stopped_.load()) drain_stopped();
  notify_driver();
  return Code::ok;
}

MediaLoop* MediaLoop::current() noexcept { return current_loop; }

int64_t MediaLoop::run_due() noexcept {
  const CurrentLoop scope(*this);
  run_before_wait();
  run_ready(0);
  return deadline_ns_;
}

void MediaLoop::run_and_wait() noexcept {
  const CurrentLoop scope(*this);
  run_before_wait();
  // Set before the check, so that a command pushed at this moment is either seen or wakes the loop.
  waiting_.store(true);
  const int64_t due_ns = has_commands() ? 0 : next_due_ns();
  run_ready(due_ns == INT64_MAX ? -1 : std::max<int64_t>(due_ns - clock_.now_ns(), 0));
}

void MediaLoop::run_now(CallFn fn, void* user) noexcept {
  const CurrentLoop scope(*this);
  fn(user);
}

void MediaLoop::run_before_wait() noexcept {
  was_busy_ = false;
  take_commands();
  run_ticks();
  run_posts();
  run_timers();
}

int64_t MediaLoop::next_due_ns() const noexcept {
  int64_t due_ns = first_ != nullptr ? deadline_ns_ : INT64_MAX;
  if (const LoopTimer* timer = timers_.front()) due_ns = std::min(due_ns, timer->due_ns_);
  return due_ns;
}

void MediaLoop::run_ticks() noexcept {
  for (int caught_up = 0; caught_up < kMaxCatchUpTicks && clock_.now_ns() >= deadline_ns_; ++caught_up) {
    if (caught_up) take_commands();
    const int64_t deadline = deadline_ns_;
    deadline_ns_ += kStepNs;
    tick(deadline);
  }
  now_ns_ = clock_.now_ns();
  if (const int64_t behind = now_ns_ - deadline_ns_; behind >= 0) {
    const int64_t lost = behind / kStepNs + 1;
    deadline_ns_ += lost * kStepNs;
    skipped_.fetch_add(uint64_t(lost), std::memory_order_relaxed);
  }
}

// Between two calls, by the time that the first one ended.
void MediaLoop::run_ticks_if_due() noexcept {
  if (now_ns_ < deadline_ns_) return;
  take_commands();
  run_ticks();
}

// Runs one call of a plugin other than a tick.
template <class F>
void MediaLoop::call(F f) noexcept {
  was_busy_ = true;
  const int64_t start = now_ns_;
  call_began_ns_.store(start, std::memory_order_relaxed);
  f();
  call_began_ns_.store(0, std::memory_order_relaxed);
  now_ns_ = clock_.now_ns();
  busy_ns_.store(busy_ns_.load(std::memory_order_relaxed) + now_ns_ - start, std::memory_order_relaxed);
}

void MediaLoop::run_posts() noexcept {
  Task* task = commands_->posts.take();
  while (task != nullptr) {
    Task& due = *task;
    task = due.next;  // read before it runs, because the poster then owns it again
    call([&] { due.run(due); });
    run_ticks_if_due();
  }
}

void MediaLoop::run_timers() noexcept {
  const int64_t until_ns = now_ns_;
  for (LoopTimer* timer = timers_.front(); timer != nullptr && timer->due_ns_ <= until_ns;
       timer = timers_.front()) {
    timer->take_off(*this);
    call([&] {
      timer->running_ = true;
      timer->due(last_tick(), now_ns_);
      timer->running_ = false;
      leave(*timer);
    });
    run_ticks_if_due();
  }
}

void MediaLoop::run_ready(int64_t timeout_ns) noexcept {
  ready_count_ = poll_.wait(timeout_ns, ready_);
  waiting_.store(false, std::memory_order_relaxed);
  now_ns_ = clock_.now_ns();
  for (size_t i = 0; i < ready_count_; ++i) {
    // The tick comes first: what is left in the batch is still ready, and reported again.
    if (now_ns_ >= deadline_ns_ && first_ != nullptr) break;
    auto* watch = static_cast<LoopWatch*>(ready_[i].user);
    if (watch == nullptr || (watch->home_.load(std::memory_order_relaxed) & LoopObject::kClosed) != 0)
      continue;
    call([&] {
      watch->running_ = true;
      watch->ready(ready_[i].events, now_ns_);
      watch->running_ = false;
      leave(*watch);
    });
  }
  ready_count_ = 0;
}

Code MediaLoop::watch(LoopWatch& watch, uint32_t events) noexcept {
  events &= LoopWatch::kReadable | LoopWatch::kWritable;
  if (const Code entered = enter(watch); entered != Code::ok) return entered;
  Code set = Code::ok;
  if (events == 0)
    watch.take_off(*this);
  else if (events != watch.events_)
    set = poll_.set(watch.fd_, watch.events_, events, &watch);
  if (set == Code::ok) watch.events_ = events;
  leave(watch);
  return set;
}

Code MediaLoop::set_timer(LoopTimer& timer, int64_t due_ns) noexcept {
  if (const Code entered = enter(timer); entered != Code::ok) return entered;
  timer.take_off(*this);
  if (due_ns != 0) {
    // Later than now, so that a timer that sets itself again ends run_timers().
    const int64_t earliest = clock_.now_ns() + 1;
    const int64_t at = std::min(std::max(due_ns, earliest), INT64_MAX - kTimerStepNs);
    timer.due_ns_ = (at + kTimerStepNs - 1) / kTimerStepNs * kTimerStepNs;
    timers_.add(timer);
  }
  leave(timer);
  return Code::ok;
}

// Puts the object on this loop, where it stays while it is armed or its call runs.
Code MediaLoop::enter(LoopObject& object) noexcept {
  const auto here = reinterpret_cast<uintptr_t>(this);
  uintptr_t home = 0;
  if (object.home_.compare_exchange_strong(home, here, std::memory_order_acq_rel) || home == here)
    return Code::ok;
  return (home & LoopObject::kClosed) != 0 ? Code::gone : Code::conflict;
}

// The object may be closed and freed by another thread once it has left.
void MediaLoop::leave(LoopObject& object) noexcept {
  if (object.running_ || object.is_armed()) return;
  auto home = reinterpret_cast<uintptr_t>(this);  // with kClosed, take_commands() completes the close
  object.home_.compare_exchange_strong(home, 0, std::memory_order_acq_rel);
}

void LoopWatch::take_off(MediaLoop& loop) noexcept {
  if (events_ == 0) return;
  static_cast<void>(loop.poll_.set(fd_, events_, 0, this));
  events_ = 0;
  // It may be freed before the rest of the batch is called.
  for (size_t i = 0; i < loop.ready_count_; ++i)
    if (loop.ready_[i].user == this) loop.ready_[i].user = nullptr;
}

void LoopTimer::take_off(MediaLoop& loop) noexcept {
  if (due_ns_ == 0) return;
  loop.timers_.remove(*this);
  due_ns_ = 0;
}

void LoopObject::close() noexcept {
  const uintptr_t home = home_.fetch_or(kClosed, std::memory_order_acq_rel);
  if (home == 0) return closed();
  reinterpret_cast<MediaLoop*>(home)->close(*this);
}

void MediaLoop::close(LoopObject& object) noexcept {
  commands_->closing.push(object);
  // As in detach().
  if (stopped_.load()) drain_stopped();
  notify_driver();
}

void MediaLoop::tick(int64_t deadline_ns) noexcept {
  const int64_t start = clock_.now_ns();
  call_began_ns_.store(start, std::memory_order_relaxed);
  const auto tick_no = uint64_t((deadline_ns - begin_ns_) / kStepNs);
  for (Entry* entry = first_; entry; entry = entry->after)
    if (!entry->detached.load(std::memory_order_acquire)) entry->fn(entry->self, tick_no, start);
  call_began_ns_.store(0, std::memory_order_relaxed);
  // Only this thread writes these, so plain load and store suffice; they are atomic for the readers.
  const int64_t late = start - deadline_ns;
  ticks_.store(ticks_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  if (late >= kStepNs) late_.store(late_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  if (late > max_late_ns_.load(std::memory_order_relaxed))
    max_late_ns_.store(late, std::memory_order_relaxed);
  const int64_t busy = clock_.now_ns() - start;
  busy_ns_.store(busy_ns_.load(std::memory_order_relaxed) + busy, std::memory_order_relaxed);
}

void MediaLoop::take_commands() noexcept {
  // Take the detaches first: each was attached earlier, so its attach is in the second list at the latest.
  LoopObject* closing = commands_->closing.take();
  Entry* detaching = commands_->detaching.take();
  Entry* attaching = commands_->attaching.take();
  while (attaching) {
    Entry* next = attaching->command_next;
    link(*attaching);
    attaching = next;
  }
  while (detaching) {
    Entry& entry = *detaching;
    detaching = entry.detach_next;
    unlink(entry);
    if (entry.strand && entry.strand->push(entry)) continue;
    if (entry.done) entry.done(entry.done_user);
    commands_->retired.push(entry);
  }
  while (closing) {
    LoopObject& object = *closing;
    closing = object.closing_next_;  // read first, because the owner may free it once it is closed
    object.take_off(*this);
    object.closed();
  }
}

void MediaLoop::link(Entry& entry) noexcept {
  entry.before = last_;
  (last_ ? last_->after : first_) = &entry;
  last_ = &entry;
}

void MediaLoop::unlink(Entry& entry) noexcept {
  (entry.before ? entry.before->after : first_) = entry.after;
  (entry.after ? entry.after->before : last_) = entry.before;
}

bool MediaLoop::has_commands() const noexcept {
  return !commands_->attaching.empty() || !commands_->detaching.empty() || !commands_->closing.empty() ||
         !commands_->posts.empty();
}

bool MediaLoop::empty() const noexcept { return !first_ && !timers_.front() && !has_commands(); }

void MediaLoop::wake() noexcept {
  if (waiting_.exchange(false)) poll_.wake();
}

void MediaLoop::on_command(CallFn fn, void* user) {
  command_fn_ = fn;
  command_user_ = user;
}

void MediaLoop::notify_driver() const {
  if (command_fn_) command_fn_(command_user_);
}

void MediaLoop::stop() noexcept {
  stopped_.store(true);
  drain_stopped();
}

void MediaLoop::resume() noexcept {
  const int64_t behind = clock_.now_ns() - deadline_ns_;
  if (behind >= 0) deadline_ns_ += (behind / kStepNs + 1) * kStepNs;
}

void MediaLoop::free_retired() noexcept {
  Entry* entry = commands_->retired.take();
  while (entry) {
    Entry* next = entry->command_next;
    delete entry;
    entry = next;
  }
}

MediaLoop::Now MediaLoop::now() const noexcept {
  const ThreadState* driver = driver_.load(std::memory_order_acquire);
  return {call_began_ns_.load(std::memory_order_relaxed),
          driver ? driver->owner.load(std::memory_order_relaxed) : nullptr};
}

MediaLoopStats MediaLoop::stats() const noexcept {
  return {ticks_.load(std::memory_order_relaxed),   late_.load(std::memory_order_relaxed),
          skipped_.load(std::memory_order_relaxed), max_late_ns_.load(std::memory_order_relaxed),
          busy_ns_.load(std::memory_order_relaxed), attached_.load(std::memory_order_relaxed)};
}

}  // namespace patchbay::core
