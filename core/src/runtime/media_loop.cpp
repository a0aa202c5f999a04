#include "runtime/media_loop.h"

#include <utility>

#include "runtime/limits.h"

namespace patchbay::core {

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
};

MediaLoop::MediaLoop(const MonoClock& clock)
    : clock_(clock),
      commands_(std::make_unique<Commands>()),
      begin_ns_(clock.now_ns()),
      deadline_ns_(begin_ns_ + kStepNs) {}

MediaLoop::~MediaLoop() {
  take_commands();
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
}

int64_t MediaLoop::run_due() noexcept {
  take_commands();
  for (int caught_up = 0; caught_up < kMaxCatchUpTicks && clock_.now_ns() >= deadline_ns_; ++caught_up) {
    if (caught_up) take_commands();
    const int64_t deadline = deadline_ns_;
    deadline_ns_ += kStepNs;
    tick(deadline);
  }
  if (const int64_t behind = clock_.now_ns() - deadline_ns_; behind >= 0) {
    const int64_t lost = behind / kStepNs + 1;
    deadline_ns_ += lost * kStepNs;
    skipped_.fetch_add(uint64_t(lost), std::memory_order_relaxed);
  }
  return deadline_ns_;
}

void MediaLoop::tick(int64_t deadline_ns) noexcept {
  const int64_t start = clock_.now_ns();
  tick_began_ns_.store(start, std::memory_order_relaxed);
  const auto tick_no = uint64_t((deadline_ns - begin_ns_) / kStepNs);
  for (Entry* entry = first_; entry; entry = entry->after)
    if (!entry->detached.load(std::memory_order_acquire)) entry->fn(entry->self, tick_no, start);
  tick_began_ns_.store(0, std::memory_order_relaxed);
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

bool MediaLoop::empty() const noexcept {
  return !first_ && commands_->attaching.empty() && commands_->detaching.empty();
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
  return {tick_began_ns_.load(std::memory_order_relaxed),
          driver ? driver->owner.load(std::memory_order_relaxed) : nullptr};
}

MediaLoopStats MediaLoop::stats() const noexcept {
  return {ticks_.load(std::memory_order_relaxed),   late_.load(std::memory_order_relaxed),
          skipped_.load(std::memory_order_relaxed), max_late_ns_.load(std::memory_order_relaxed),
          busy_ns_.load(std::memory_order_relaxed), attached_.load(std::memory_order_relaxed)};
}

}  // namespace patchbay::core
