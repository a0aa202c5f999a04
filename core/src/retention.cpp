#include "retention.h"

#include <atomic>
#include <mutex>
#include <utility>

#include "runtime/strand.h"

namespace patchbay::core {

// Shared by Retention, its timer and the answers of the store.
class Retention::Sweeper : public std::enable_shared_from_this<Sweeper> {
 public:
  Sweeper(Runtime& runtime, Store& store, std::function<void(const std::string&)> warn)
      : runtime_(runtime),
        store_(store),
        warn_(std::move(warn)),
        strand_(Strand::create(runtime.executor(), "core", "retention")) {}

  void arm(int64_t after_ms) {
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    auto* held = new std::shared_ptr<Sweeper>(shared_from_this());  // the timer's
    timer_ = runtime_.timers().arm(TimerClock::mono, runtime_.mono_clock().now_ns() + after_ms * 1'000'000,
                                   *strand_, &Sweeper::begin, held);
    held_ = held;
  }

  // The timer's reference is given back when it has been cancelled, or by begin(). Where neither can run any
  // more because every thread is held by a plugin that never comes back, it is left.
  void end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    static_cast<void>(runtime_.timers().cancel(
        timer_, [](void* held) { delete static_cast<std::shared_ptr<Sweeper>*>(held); }, held_));
    strand_->close(nullptr, nullptr);
  }

  std::atomic<uint64_t> removed{0};

 private:
  static void begin(void* raw) {
    const std::unique_ptr<std::shared_ptr<Sweeper>> held(static_cast<std::shared_ptr<Sweeper>*>(raw));
    Sweeper& self = **held;
    self.arm(kEveryMs);
    if (++self.sweeps_ % kSweepsPerPass == 1) self.cursor_ = {};
    self.purge_consumers();
  }

  int64_t horizon() const { return runtime_.wall_clock().now_ms() - kKeepMs; }

  void purge_consumers() {
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    store_.purge_consumers(horizon(), kSlice,
                           [self = shared_from_this()](Result<ConsumerPurgeResult> purged) {
                             if (!purged) return;  // maybe within the call, with the lock held
                             self->tell(purged->forgotten);
                             if (purged->more) return self->purge_consumers();
                             self->prune();
                           });
  }

  void tell(const std::vector<std::string>& forgotten) const {
    for (const std::string& name : forgotten)
      warn_("the consumer " + name +
            " is forgotten with what was pending for it: its plugin has not run for 30 days");
  }

  void prune() {
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    store_.prune(horizon(), cursor_, kSlice, [self = shared_from_this()](Result<PruneResult> pruned) {
      if (!pruned) return;  // as above; the next sweep goes on from here
      self->removed += static_cast<uint64_t>(pruned->removed);
      self->cursor_ = pruned->next;
      if (pruned->more) self->prune();
    });
  }

  // borrowed, the store until ended_
  Runtime& runtime_;
  Store& store_;
  // owned
  const std::function<void(const std::string&)> warn_;
  const Ref<Strand> strand_;
  // state; cursor_ and sweeps_ belong to the one sweep under way
  std::mutex mutex_;  // guards ended_, timer_, held_, and is held while the store is asked
  bool ended_ = false;
  TimerId timer_ = 0;
  void* held_ = nullptr;
  PruneCursor cursor_;
  int sweeps_ = 0;
};

Retention::Retention(Runtime& runtime, Store& store, std::function<void(const std::string&)> warn)
    : sweeper_(std::make_shared<Sweeper>(runtime, store, std::move(warn))) {
  sweeper_->arm(kFirstMs);
}

Retention::~Retention() { sweeper_->end(); }

uint64_t Retention::removed() const { return sweeper_->removed; }

}  // namespace patchbay::core
