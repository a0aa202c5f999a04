// MediaLoop: the media clock. Every 20 ms, on one thread, it calls whoever is attached. No malloc, lock, log
// or I/O is done between ticks; attaching and detaching reach the loop as linked commands that it takes at
// the next tick. It has no thread of its own: MediaPool drives it in real time, tests call run_due() by hand.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "patchbay/result.h"
#include "runtime/clock.h"
#include "runtime/push_list.h"
#include "runtime/slot_table.h"
#include "runtime/strand.h"
#include "runtime/thread_kind.h"

namespace patchbay::core {

// [media] tick_no counts 20 ms steps since the loop began and never repeats, but may jump; now_ns is the
// monotonic clock at the start of the tick.
using TickFn = void (*)(void* self, uint64_t tick_no, int64_t now_ns);
using AttachId = uint64_t;  // never 0, never used twice on a loop

struct MediaLoopStats {
  uint64_t ticks;       // ticks run
  uint64_t late;        // of these, begun one step or more late
  uint64_t skipped;     // never run: more than three were due
  int64_t max_late_ns;  // the worst start
  int64_t busy_ns;      // spent in ticks
  uint64_t attached;
};

class MediaLoop {
 public:
  static constexpr int64_t kStepNs = 20'000'000;
  static constexpr int kMaxCatchUp = 3;

  explicit MediaLoop(const MonoClock& clock);
  // After stop(), or when it was never driven. Waiting detaches complete here.
  ~MediaLoop();

  // [any, not media] From the next tick on, calls fn(self, ...) once per tick, in the order of attaching.
  AttachId attach(TickFn fn, void* self);

  // [any, media too] Ends it, without lock or malloc. On the loop's own thread (from a tick) nothing of it
  // runs after this returns; elsewhere nothing runs after done(user), which comes within a step: on `strand`,
  // or on the loop's thread if that is null. not_found: it never was or is being detached, and `done` is
  // not called.
  Status detach(AttachId id, Strand* strand, CallFn done, void* user);

  // [driver] Runs what is due now, at most three ticks; what is due beyond is skipped and counted. Returns
  // the deadline of the next tick.
  int64_t run_due() noexcept;

  // [driver] True when nothing is attached or waiting to be: the driver may sleep until on_command() calls.
  bool empty() const noexcept;
  // [driver] fn(user) is called, on any thread, after a command was queued. Set before first use.
  void on_command(CallFn fn, void* user);
  // No driver is left. Completes the detaches that wait; later ones complete in the call itself.
  void stop() noexcept;
  // [driver] After sleeping while empty: the ticks that passed are not owed.
  void resume() noexcept;

  // [any] Each figure is true, though not all of the same instant.
  MediaLoopStats stats() const noexcept;
  uint64_t attached() const noexcept { return attached_.load(std::memory_order_relaxed); }

  // [driver] The thread that runs it, for who watches it.
  void set_driver_thread(const ThreadState& thread) noexcept {
    driver_.store(&thread, std::memory_order_release);
  }
  // [any, while it is driven] The tick that runs now: when it began, and whose code it is in. 0: none does.
  struct Now {
    int64_t since_ns;
    const char* owner;  // null: nobody's; else an interned_name()
  };
  Now now() const noexcept;

 private:
  struct Entry;
  struct Commands;

  void take_commands() noexcept;
  void link(Entry& entry) noexcept;
  void unlink(Entry& entry) noexcept;
  void tick(int64_t deadline_ns) noexcept;
  void drain_stopped() noexcept;
  void notify_driver() const;
  void free_retired() noexcept;

  // borrowed
  const MonoClock& clock_;
  CallFn command_fn_ = nullptr;
  void* command_user_ = nullptr;
  // owned
  SlotTable<Entry*> entries_;                 // those that are not being detached
  const std::unique_ptr<Commands> commands_;  // from everyone to the loop
  // state
  std::atomic<uint64_t> attached_{0};
  std::atomic<bool> stopped_{false};
  std::mutex stopped_mutex_;  // among those who take commands once no driver does
  std::atomic<const ThreadState*> driver_{nullptr};
  std::atomic<int64_t> tick_began_ns_{0};
  // state of the loop
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
