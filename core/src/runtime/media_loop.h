// MediaLoop: the media clock. Calls the attached callbacks every 20 ms on one thread, and between two ticks
// what was posted to it, timers, and the watchers of descriptors. It takes no lock and does no malloc or
// logging: other threads put commands into intrusive lists, which the loop empties. The loop has no thread
// itself: MediaPool drives it in real time, and tests call run_due().
//
// A due tick runs before any further call, so that one call at most delays it, however many packets arrive.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "patchbay/result.h"
#include "runtime/clock.h"
#include "runtime/descriptor_poll.h"
#include "runtime/loop_object.h"
#include "runtime/push_list.h"
#include "runtime/slot_table.h"
#include "runtime/strand.h"
#include "runtime/task.h"
#include "runtime/thread_kind.h"
#include "runtime/timer_heap.h"

namespace patchbay::core {

// [media] tick_no counts 20 ms steps since the loop began. It never repeats, but may jump ahead. now_ns is
// the monotonic clock at the start of the tick.
using TickFn = void (*)(void* self, uint64_t tick_no, int64_t now_ns);
using AttachId = uint64_t;  // never 0, never used twice on a loop

struct MediaLoopStats {
  uint64_t ticks;       // ticks run
  uint64_t late;        // of these, ticks that began one step late or more
  uint64_t skipped;     // ticks not run, because more than three were due
  int64_t max_late_ns;  // worst delay of a tick's start
  int64_t busy_ns;      // time spent in ticks and other calls
  uint64_t attached;
};

class MediaLoop {
 public:
  static constexpr int64_t kStepNs = 20'000'000;

  // `index`: its number among the loops of the process.
  explicit MediaLoop(const MonoClock& clock, uint32_t index = 0);
  // Requires stop(), or that the loop was never driven. Completes pending detaches.
  ~MediaLoop();

  // [any, not media] Calls fn(self, ...) once per tick from the next tick on, in the order of attaching.
  // Returns 0 when the loop is full.
  AttachId attach(TickFn fn, void* self);

  // [any, media too] Stops the calls, without lock or malloc. If called on the loop's own thread (from a
  // tick), fn is not called again after this returns. If called elsewhere, fn is not called after done(user)
  // has run; that happens within one step, on `strand`, or on the loop's thread if `strand` is null.
  // not_found: `id` is unknown or already being detached, and `done` is not called.
  Status detach(AttachId id, Strand* strand, CallFn done, void* user);

  // [any, media too] Runs the task on the loop's thread, in the order of posting. Code::gone: the loop has
  // stopped; the task was discarded.
  Code post(Task& task) noexcept;

  uint32_t index() const noexcept { return index_; }
  // The loop whose thread this is, while it runs; null elsewhere.
  static MediaLoop* current() noexcept;
  // [this loop] Waits for `events` (LoopWatch::k...) of the descriptor from now on; 0: for nothing.
  // Code::conflict: it is on another loop, or another watch has the descriptor. Code::gone: it was closed.
  // Code::invalid, exhausted: as DescriptorPoll::set().
  Code watch(LoopWatch& watch, uint32_t events) noexcept;
  // [this loop] Calls the timer once at `due_ns` of the monotonic clock, rounded up to a millisecond, in
  // place of what was set before; 0: not at all. One that is past is called in the next millisecond.
  // Code::conflict: it is on another loop. Code::gone: it was closed.
  Code set_timer(LoopTimer& timer, int64_t due_ns) noexcept;

  // [driver] Runs the ticks that are due, at most three; skips and counts the rest. Then runs what was
  // posted, due timers, and a batch of ready descriptors, without waiting. Returns the deadline of the next
  // tick.
  int64_t run_due() noexcept;
  // [driver] The same, but waits for a descriptor, a command or wake(), at most until next_due_ns().
  void run_and_wait() noexcept;
  // [driver] Runs fn(user) as what is posted.
  void run_now(CallFn fn, void* user) noexcept;
  // [driver] When the next tick (if anything is attached) or timer is due; INT64_MAX: none.
  int64_t next_due_ns() const noexcept;
  // [driver] Whether the latest run called anything but ticks: more may be due at once.
  bool was_busy() const noexcept { return was_busy_; }
  // [driver] False when the process had no descriptors left for the loop.
  bool can_wait() const noexcept { return poll_.is_open(); }
  // [any, media too] Ends run_and_wait(), if it waits; to be called after each command.
  void wake() noexcept;
  // [any] Ends run_and_wait(), or the next one at once.
  void interrupt() noexcept { poll_.wake(); }

  // [driver] True when nothing is attached or about to be, and no timer is set.
  bool empty() const noexcept;
  // [driver] Whether ticks call anything.
  bool is_ticking() const noexcept { return first_ != nullptr; }
  // [driver] Sets a callback that is called, on any thread, after each command. Set before first use.
  void on_command(CallFn fn, void* user);
  // Call when no thread drives the loop any more. Completes pending detaches; later ones complete inside
  // detach().
  void stop() noexcept;
  // [driver] Call before a run while not is_ticking(): the ticks missed meanwhile are neither run nor
  // counted.
  void resume() noexcept;

  // [any] Each value is exact, but they are not read at the same instant.
  MediaLoopStats stats() const noexcept;
  uint64_t attached() const noexcept { return attached_.load(std::memory_order_relaxed); }

  // [driver] Publishes the state of the thread that drives the loop, for the watchdog.
  void set_driver_thread(const ThreadState& thread) noexcept {
    driver_.store(&thread, std::memory_order_release);
  }
  // [any, while driven] The running tick or other call: when it began, and whose code it is in. since_ns is 0
  // between them.
  struct Now {
    int64_t since_ns;
    const char* owner;  // null: no plugin's; else an interned_name()
  };
  Now now() const noexcept;

 private:
  friend class LoopObject;
  friend class LoopWatch;
  friend class LoopTimer;
  struct Entry;
  struct Commands;

  void close(LoopObject& object) noexcept;
  Code enter(LoopObject& object) noexcept;
  void leave(LoopObject& object) noexcept;
  template <class F>
  void call(F f) noexcept;
  void run_before_wait() noexcept;
  void run_ticks() noexcept;
  void run_ticks_if_due() noexcept;
  void run_posts() noexcept;
  void run_timers() noexcept;
  void run_ready(int64_t timeout_ns) noexcept;
  bool has_commands() const noexcept;
  uint64_t last_tick() const noexcept { return uint64_t((deadline_ns_ - begin_ns_) / kStepNs) - 1; }
  void take_commands() noexcept;
  void link(Entry& entry) noexcept;
  void unlink(Entry& entry) noexcept;
  void tick(int64_t deadline_ns) noexcept;
  void drain_stopped() noexcept;
  void notify_driver() const;
  void free_retired() noexcept;

  // borrowed
  const MonoClock& clock_;
  const uint32_t index_;
  CallFn command_fn_ = nullptr;
  void* command_user_ = nullptr;
  // owned
  SlotTable<Entry*> entries_;                 // attached and not being detached
  const std::unique_ptr<Commands> commands_;  // from any thread to the loop
  // state
  std::atomic<uint64_t> attached_{0};
  std::atomic<bool> stopped_{false};
  std::mutex stopped_mutex_;  // held while taking commands after stop()
  std::atomic<const ThreadState*> driver_{nullptr};
  std::atomic<int64_t> call_began_ns_{0};
  std::atomic<bool> waiting_{false};  // in run_and_wait(), or about to be
  // state used by the driver
  DescriptorPoll poll_;
  TimerHeap timers_;
  std::array<DescriptorPoll::Ready, DescriptorPoll::kBatch> ready_{};  // of the latest wait
  size_t ready_count_ = 0;
  bool was_busy_ = false;
  int64_t now_ns_ = 0;  // when the latest call ended
  Entry* first_ = nullptr;
  Entry* last_ = nullptr;
  const int64_t begin_ns_;
  int64_t deadline_ns_;
  std::atomic<uint64_t> ticks_{0};
  std::atomic<uint64_t> late_{0};
  std::atomic<uint64_t> skipped_{0};
  std::atomic<int64_t> max_late_ns_{0};
  std::atomic<int64_t> busy_ns_{0};
};

}  // namespace patchbay::core
