#include "runtime/executor.h"

#include <pthread.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <system_error>
#include <utility>

#include "runtime/executor_slot.h"
#include "runtime/limits.h"
#include "runtime/thread_kind.h"

namespace patchbay::core {

Executor::Executor(const ExecutorOptions& options)
    : options_(options),
      threads_wanted_(options.threads ? options.threads : std::max(2u, std::thread::hardware_concurrency())),
      thread_slots_(threads_wanted_ + kMaxSpareThreads) {
  sem_init(&wake_, 0, 0);
  for (size_t i = 0; i < thread_slots_ + kMaxGuests; ++i) {
    slots_.push_back(std::make_unique<ExecutorSlot>());
    if (i >= thread_slots_) slots_.back()->host = this;
  }
  threads_.reserve(thread_slots_);
  for (unsigned i = 0; i < threads_wanted_; ++i)
    threads_.emplace_back([this, &slot = *slots_[i]] { run(slot); });
  if (options.on_stall) {
    watchdog_ = std::make_unique<Watchdog>(slots_, options.stall_ms, &Executor::stalled, this);
    watchdog_->set_sampler(&Executor::sample, this);
    if (options.watchdog_thread) watchdog_->start();
  }
}

OwnerLoad& Executor::load_of(const std::string& owner) {
  const std::lock_guard lock(loads_mutex_);
  auto& load = loads_[owner];
  if (!load) load = std::make_unique<OwnerLoad>();
  return *load;
}

void Executor::stalled(void* self, const Stall& stall) {
  auto& executor = *static_cast<Executor*>(self);
  OwnerLoad& load = stall.strand.load_;
  load.stalls.fetch_add(1, std::memory_order_relaxed);
  executor.options_.on_stall(executor.options_.stall_user,
                             {stall.strand.owner(), stall.strand.name(), stall.ms});
  {
    const std::lock_guard lock(executor.threads_mutex_);
    if (!stall.slot.give_up(stall.progress)) return;
    load.stalled.fetch_add(1);
    if (stall.slot.host == nullptr) stall.slot.replaced = executor.add_spare();
  }
  // It became ready during the turn that hangs; another thread runs it.
  executor.give_next_away(stall.slot);
  executor.unpark(load);
}

bool Executor::add_spare() {
  size_t at = 0;
  while (at < threads_.size() && !slots_[at]->vacant) ++at;
  if (at == thread_slots_) return false;
  try {
    std::thread spare([this, &slot = *slots_[at]] { run(slot); });
    if (at == threads_.size()) {
      threads_.push_back(std::move(spare));
    } else {
      threads_[at].join();  // its slot is vacant, so it is about to exit
      threads_[at] = std::move(spare);
    }
    slots_[at]->vacant = false;
    return true;
  } catch (const std::system_error&) {
    return false;  // out of threads; the others go on
  }
}

bool Executor::turn_returned(ExecutorSlot& slot, OwnerLoad& load) {
  const std::lock_guard lock(threads_mutex_);
  load.stalled.fetch_sub(1);
  return std::exchange(slot.replaced, false);
}

void Executor::vacate(ExecutorSlot& slot) {
  const std::lock_guard lock(threads_mutex_);
  slot.vacant = true;
}

unsigned Executor::threads_alive() {
  const std::lock_guard lock(threads_mutex_);
  unsigned alive = 0;
  for (size_t i = 0; i < threads_.size(); ++i) alive += slots_[i]->vacant ? 0 : 1;
  return alive;
}

std::vector<Executor::OwnerStats> Executor::owner_stats() {
  const std::lock_guard lock(loads_mutex_);
  std::vector<OwnerStats> all;
  for (const auto& [owner, load] : loads_)
    all.push_back({owner, load->stalled.load(std::memory_order_relaxed),
                   load->stalls.load(std::memory_order_relaxed),
                   load->calls.waiting.load(std::memory_order_relaxed),
                   load->calls.refused.load(std::memory_order_relaxed)});
  return all;
}

Executor::~Executor() {
  while (!wait_idle(std::chrono::seconds(1))) {
  }
  watchdog_.reset();
  // A guest's last access is to its slot, just after wait_idle() saw it leave.
  for (size_t i = thread_slots_; i < slots_.size(); ++i)
    while (slots_[i]->taken.load(std::memory_order_acquire)) std::this_thread::yield();
  stopping_ = true;
  for (size_t i = 0; i < threads_.size(); ++i) sem_post(&wake_);
  for (auto& thread : threads_) thread.join();
  sem_destroy(&wake_);
}

bool Executor::wait_idle(std::chrono::milliseconds timeout) {
  std::unique_lock lock(idle_mutex_);
  ++idle_waiters_;
  const bool rested = idle_.wait_for(lock, timeout, [this] { return idle(); });
  --idle_waiters_;
  return rested;
}

void Executor::schedule(Strand& strand) noexcept {
  busy_.fetch_add(1, std::memory_order_relaxed);
  wakeups_.fetch_add(1, std::memory_order_relaxed);
  // A guest keeps only the strand that became ready last, so that none waits for the turns of others.
  if (executor_slot && executor_slot->host == this) {
    if (Strand* other = executor_slot->next.exchange(&strand)) give_away(*other);
    return;
  }
  const Strand* running = Strand::current();
  if (running && &running->executor() == this) {
    executor_slot->made_ready.push(strand);
  } else {
    give_away(strand);
  }
}

void Executor::give_away(Strand& strand) noexcept {
  enqueue(strand);
  wake_one();
}

void Executor::give_next_away(ExecutorSlot& slot) noexcept {
  if (!slot.next.load(std::memory_order_relaxed)) return;
  if (Strand* next = slot.next.exchange(nullptr)) give_away(*next);
}

ExecutorSlot* Executor::take_guest_slot() noexcept {
  for (size_t i = thread_slots_; i < slots_.size(); ++i)
    if (!slots_[i]->taken.exchange(true, std::memory_order_acquire)) return slots_[i].get();
  return nullptr;
}

bool Executor::run_here(Strand& strand, Task& task) noexcept {
  const bool may_run = !executor_slot && thread_kind() != ThreadKind::media;
  ExecutorSlot* slot = may_run ? take_guest_slot() : nullptr;
  if (!slot) return strand.push(task);
  guests_.fetch_add(1, std::memory_order_relaxed);
  const ThreadKind kind = std::exchange(thread_state.kind, ThreadKind::strand);
  executor_slot = slot;
  const bool pushed = strand.push(task);
  for (int turns = 0;; ++turns) {
    if (slot->between_turns) give_next_away(*slot);  // the work may block
    while (Task* work = slot->between_turns) {
      slot->between_turns = work->next;
      work->run(*work);
    }
    Strand* next = slot->next.exchange(nullptr);
    if (!next) break;
    if (turns < kMaxGuestTurns)
      run_guest_turn(*slot, *next);
    else
      give_away(*next);
  }
  executor_slot = nullptr;
  thread_state.kind = kind;
  end_one(guests_);
  slot->taken.store(false, std::memory_order_release);
  return pushed;
}

bool Executor::run_between_turns(Task& task) noexcept {
  if (!executor_slot || executor_slot->host != this) return false;
  task.next = nullptr;
  Task** end = &executor_slot->between_turns;
  while (*end) end = &(*end)->next;
  *end = &task;
  return true;
}

void Executor::run_guest_turn(ExecutorSlot& slot, Strand& strand) noexcept {
  OwnerLoad& load = strand.load_;
  if (load.stalled.load() > 0) return give_away(strand);  // admit() decides
  load.running.fetch_add(1);
  slot.enter(strand);
  const Strand::Turn turn = strand.run_turn(slot);
  if (slot.leave()) turn_returned(slot, load);
  load.running.fetch_sub(1);
  if (turn == Strand::Turn::more)
    give_away(strand);
  else
    retire(strand);
  if (load.parks.load()) unpark(load);
}

void Executor::enqueue(Strand& strand) noexcept {
  incoming_.push(strand);
  waiting_.fetch_add(1);  // before reading sleepers_; sleep() does the reverse, so no wake-up is lost
}

bool Executor::hand_over(ExecutorSlot& slot) noexcept {
  Strand* strand = slot.made_ready.take();
  if (!strand) return false;
  while (strand) {
    Strand* next = strand->ready_next_;
    enqueue(*strand);
    strand = next;
  }
  return true;
}

void Executor::sample(void* self, int64_t now_ns) {
  auto& executor = *static_cast<Executor*>(self);
  for (const auto& slot : executor.slots_) {
    if (executor.hand_over(*slot)) executor.wake_one();
    const uint64_t progress = slot->progress.load(std::memory_order_relaxed);
    if (std::exchange(slot->sampled_progress, progress) == progress) executor.give_next_away(*slot);
  }
  if (executor.options_.on_sample) executor.options_.on_sample(executor.options_.sample_user, now_ns);
}

void Executor::retire(Strand& strand) noexcept {
  strand.release();
  end_one(busy_);
}

void Executor::end_one(std::atomic<int>& count) noexcept {
  if (count.fetch_sub(1) != 1 || idle_waiters_.load() == 0) return;
  const std::lock_guard lock(idle_mutex_);
  idle_.notify_all();
}

void Executor::run(ExecutorSlot& slot) noexcept {
  pthread_setname_np(pthread_self(), "pb-strand");
  thread_state.kind = ThreadKind::strand;
  executor_slot = &slot;
  while (Strand* strand = next()) {
    OwnerLoad& load = strand->load_;
    slot.enter(*strand);
    const Strand::Turn turn = strand->run_turn(slot);
    hand_over(slot);
    const bool surplus = slot.leave() && turn_returned(slot, load);
    load.running.fetch_sub(1);
    if (turn == Strand::Turn::more)
      enqueue(*strand);
    else
      retire(*strand);
    if (load.parks.load()) unpark(load);
    if (!surplus) continue;
    if (waiting_.load() > 0) wake_one();  // this thread would have taken it next
    return vacate(slot);
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
  int left = 0;
  {
    const std::lock_guard lock(ready_mutex_);
    for (;;) {
      if (!ready_) ready_ = incoming_.take();
      strand = ready_;
      if (!strand) break;
      ready_ = strand->ready_next_;
      left = waiting_.fetch_sub(1) - 1;
      if (admit(*strand)) break;
    }
  }
  // Another strand is ready: wake a thread for it now, so that it does not wait for the end of this turn.
  if (strand && left > 0) wake_one();
  return strand;
}

int Executor::max_running(int stalled) const noexcept {
  if (stalled <= 0) return std::numeric_limits<int>::max();
  return stalled < kMaxStalledPerOwner ? std::max(1, static_cast<int>(threads_wanted_) / 2) : 0;
}

bool Executor::admit(Strand& strand) noexcept {
  OwnerLoad& load = strand.load_;
  for (;;) {
    const int running = load.running.fetch_add(1) + 1;
    const int stalled = load.stalled.load();
    if (running - stalled <= max_running(stalled)) return true;
    load.running.fetch_sub(1);
    // Set `parks` before checking again: a turn that ends after the first check sees it and unparks.
    if (load.parks.exchange(true)) break;
  }
  strand.ready_next_ = nullptr;
  (load.parked_last ? load.parked_last->ready_next_ : load.parked_first) = &strand;
  load.parked_last = &strand;
  return false;
}

void Executor::unpark(OwnerLoad& load) noexcept {
  int woken = 0;
  {
    const std::lock_guard lock(ready_mutex_);
    const int stalled = load.stalled.load();
    const int running = load.running.load() - stalled;
    while (load.parked_first && running + woken < max_running(stalled)) {
      Strand& strand = *load.parked_first;
      load.parked_first = strand.ready_next_;
      incoming_.push(strand);
      ++woken;
    }
    if (!load.parked_first) {
      load.parked_last = nullptr;
      load.parks.store(false);
    }
  }
  waiting_.fetch_add(woken);
  for (; woken > 0; --woken) wake_one();
}

void Executor::sleep() noexcept {
  sleepers_.fetch_add(1);
  if (waiting_.load() > 0 || stopping_.load()) {
    int count = sleepers_.load();
    while (count > 0)
      if (sleepers_.compare_exchange_weak(count, count - 1)) return;  // not woken meanwhile
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
