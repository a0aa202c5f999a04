#include "runtime/executor.h"

#include <pthread.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "runtime/executor_slot.h"
#include "runtime/thread_kind.h"

namespace patchbay::core {

Executor::Executor(const ExecutorOptions& options)
    : options_(options),
      threads_wanted_(options.threads ? options.threads : std::max(2u, std::thread::hardware_concurrency())) {
  sem_init(&wake_, 0, 0);
  for (unsigned i = 0; i < threads_wanted_ + kMostSpares; ++i)
    slots_.push_back(std::make_unique<ExecutorSlot>());
  threads_.reserve(slots_.size());
  for (unsigned i = 0; i < threads_wanted_; ++i)
    threads_.emplace_back([this, &slot = *slots_[i]] { run(slot); });
  if (options.on_stall) {
    watchdog_ = std::make_unique<Watchdog>(slots_, options.watchdog_ms, &Executor::stalled, this);
    if (options.watchdog_thread) watchdog_->start();
  }
}

void Executor::stalled(void* self, const StallReport& report) {
  auto& executor = *static_cast<Executor*>(self);
  executor.options_.on_stall(executor.options_.stall_user, report);
  executor.add_spare();
}

void Executor::add_spare() {
  if (threads_.size() == slots_.size()) return;
  try {
    threads_.emplace_back([this, &slot = *slots_[threads_.size()]] { run(slot); });
  } catch (const std::system_error&) {
    return;  // the others go on
  }
}

Executor::~Executor() {
  while (!wait_idle(std::chrono::seconds(1))) {
  }
  watchdog_.reset();
  stopping_ = true;
  for (size_t i = 0; i < threads_.size(); ++i) sem_post(&wake_);
  for (auto& thread : threads_) thread.join();
  sem_destroy(&wake_);
}

bool Executor::wait_idle(std::chrono::milliseconds timeout) {
  std::unique_lock lock(idle_mutex_);
  ++idle_waiters_;
  const bool rested = idle_.wait_for(lock, timeout, [this] { return busy_.load() == 0; });
  --idle_waiters_;
  return rested;
}

void Executor::schedule(Strand& strand) noexcept {
  busy_.fetch_add(1, std::memory_order_relaxed);
  wakeups_.fetch_add(1, std::memory_order_relaxed);
  enqueue(strand);
}

void Executor::enqueue(Strand& strand) noexcept {
  incoming_.push(strand);
  waiting_.fetch_add(1);  // before looking at the sleepers; a sleeper looks the other way round
  wake_one();
}

void Executor::retire(Strand& strand) noexcept {
  strand.release();
  if (busy_.fetch_sub(1) != 1 || idle_waiters_.load() == 0) return;
  const std::lock_guard lock(idle_mutex_);
  idle_.notify_all();
}

void Executor::run(ExecutorSlot& slot) noexcept {
  pthread_setname_np(pthread_self(), "pb-strand");
  thread_state.kind = ThreadKind::strand;
  executor_slot = &slot;
  while (Strand* strand = next()) {
    slot.enter(strand);
    const Strand::Turn turn = strand->run_turn(slot);
    slot.enter(nullptr);
    if (turn == Strand::Turn::more)
      enqueue(*strand);
    else
      retire(*strand);
  }
}

Strand* Executor::next() noexcept {
  for (;;) {
    if (Strand* strand = pop_ready()) return strand;
    if (stopping_.load()) return nullptr;
    sleep();
  }
}

Strand* Executor::pop_ready() noexcept {
  Strand* strand = nullptr;
  {
    const std::lock_guard lock(ready_mutex_);
    if (!ready_) ready_ = incoming_.take();
    strand = ready_;
    if (strand) ready_ = strand->ready_next_;
  }
  // A strand that was counted but not yet called for must not wait for this turn to end.
  if (strand && waiting_.fetch_sub(1) > 1) wake_one();
  return strand;
}

void Executor::sleep() noexcept {
  sleepers_.fetch_add(1);
  if (waiting_.load() > 0 || stopping_.load()) {
    int count = sleepers_.load();
    while (count > 0)
      if (sleepers_.compare_exchange_weak(count, count - 1)) return;  // nobody called meanwhile
  }
  while (sem_wait(&wake_) != 0 && errno == EINTR) {
  }
}

void Executor::wake_one() noexcept {
  int count = sleepers_.load();
  while (count > 0) {
    if (!sleepers_.compare_exchange_weak(count, count - 1)) continue;
    sem_post(&wake_);
    return;
  }
}

}  // namespace patchbay::core
