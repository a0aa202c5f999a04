// MediaLoop: the media clock. Calls the attached callbacks every 20 ms on one thread. A tick takes no lock
// and does no malloc, logging or I/O: attach() and detach() put commands into intrusive lists, which the loop
// empties before each tick. The loop has no thread itself: MediaPool drives it in real time, and tests call
// run_due().
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

// [media] tick_no counts 20 ms steps since the loop began. It never repeats, but may jump ahead. now_ns is
// the monotonic clock at the start of the tick.
using TickFn = void (*)(void* self, uint64_t tick_no, int64_t now_ns);
using AttachId = uint64_t;  // never 0, never used twice on a loop

struct MediaLoopStats {
  uint64_t ticks;       // ticks run
  uint64_t late;        // of these, ticks that began one step late or more
  uint64_t skipped;     // ticks not run, because more than three were due
  int64_t max_late_ns;  // worst delay of a tick's start
  int64_t busy_ns;      // time spent in ticks
  uint64_t attached;
};

class MediaLoop {
 public:
  static constexpr int64_t kStepNs = 20'000'000;

  explicit MediaLoop(const MonoClock& clock);
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

  // [driver] Runs the ticks that are due, at most three; skips and counts the rest. Returns the deadline of
  // the next tick.
  int64_t run_due() noexcept;

  // [driver] True when nothing is attached or about to be: the driver may sleep until the on_command()
  // callback.
  bool empty() const noexcept;
  // [driver] Sets a callback that is called, on any thread, after each command. Set before first use.
  void on_command(CallFn fn, void* user);
  // Call when no thread drives the loop any more. Completes pending detaches; later ones complete inside
  // detach().
  void stop() noexcept;
  // [driver] Call after sleeping while empty: the ticks missed meanwhile are neither run nor counted.
  void resume() noexcept;

  // [any] Each value is exact, but they are not read at the same instant.
  MediaLoopStats stats() const noexcept;
  uint64_t attached() const noexcept { return attached_.load(std::memory_order_relaxed); }

  // [driver] Publishes the state of the thread that drives the loop, for the watchdog.
  void set_driver_thread(const ThreadState& thread) noexcept {
    driver_.store(&thread, std::memory_order_release);
  }
  // [any, while driven] The running tick: when it began, and whose code it is in. since_ns is 0 between
  // ticks.
  struct Now {
    int64_t since_ns;
    const char* owner;  // null: no plugin's; else an interned_name()
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
  SlotTable<Entry*> entries_;                 // attached and not being detached
  const std::unique_ptr<Commands> commands_;  // from any thread to the loop
  // state
  std::atomic<uint64_t> attached_{0};
  std::atomic<bool> stopped_{false};
  std::mutex stopped_mutex_;  // held while taking commands after stop()
  std::atomic<const ThreadState*> driver_{nullptr};
  std::atomic<int64_t> tick_began_ns_{0};
  // state used by the driver
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
