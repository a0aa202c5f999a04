#include "store/event_retention.h"

#include <atomic>
#include <mutex>
#include <utility>

#include "runtime/strand.h"

namespace patchbay::core {

// Shared by EventRetention, its timer and the store's callbacks.
class EventRetention::Sweeper : public std::enable_shared_from_this<Sweeper> {
 public:
  Sweeper(Runtime& runtime, Store& store, std::function<void(const std::string&)> warn)
      : runtime_(runtime),
        store_(store),
        warn_(std::move(warn)),
        strand_(Strand::create(runtime.executor(), "core", "retention")) {}

  void start() {
    self_of_timer_ = shared_from_this();
    arm(kFirstSweepMs);
  }

  // There is always a timer to cancel, since a sweep arms the next one. If plugins block every thread, the
  // cancellation never ends and the sweeper leaks.
  void stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    static_cast<void>(runtime_.timers().cancel(
        timer_, [](void* self) { static_cast<Sweeper*>(self)->self_of_timer_.reset(); }, this));
    strand_->close(nullptr, nullptr);
  }

  std::atomic<uint64_t> removed{0};

 private:
  void arm(int64_t after_ms) {
    const std::lock_guard lock(mutex_);
    if (stopped_) return;
    const int64_t due_ns = runtime_.mono_clock().now_ns() + after_ms * 1'000'000;
    timer_ = runtime_.timers().arm(TimerClock::mono, due_ns, *strand_, &Sweeper::begin, this);
  }

  static void begin(void* raw) {
    auto& self = *static_cast<Sweeper*>(raw);
    self.arm(kSweepIntervalMs);
    self.count_sweep();
    self.purge_consumers();
  }

  void count_sweep() {
    const std::lock_guard lock(mutex_);
    if (++sweeps_ % kSweepsPerPass == 1) cursor_ = {};
  }

  int64_t horizon() const { return runtime_.wall_clock().now_ms() - kKeepMs; }

  void purge_consumers() {
    const std::lock_guard lock(mutex_);
    if (stopped_) return;
    store_.purge_consumers(horizon(), kSlice,
                           [self = shared_from_this()](Result<ConsumerPurgeResult> purged) {
                             if (!purged) return;  // may be called within purge_consumers(), with mutex_ held
                             self->warn_forgotten(purged->forgotten);
                             if (purged->more) return self->purge_consumers();
                             self->prune();
                           });
  }

  void warn_forgotten(const std::vector<std::string>& forgotten) const {
    for (const std::string& name : forgotten)
      warn_("the consumer " + name +
            " is forgotten, with its pending events: its plugin has not run for 30 days");
  }

  void prune() {
    const std::lock_guard lock(mutex_);
    if (stopped_) return;
    store_.prune(horizon(), cursor_, kSlice, [self = shared_from_this()](Result<PruneResult> pruned) {
      if (!pruned) return;  // as above; the next sweep continues here
      self->removed += static_cast<uint64_t>(pruned->removed);
      self->advance(pruned->next);
      if (pruned->more) self->prune();
    });
  }

  void advance(const PruneCursor& next) {
    const std::lock_guard lock(mutex_);
    cursor_ = next;
  }

  // borrowed, the store until stopped_
  Runtime& runtime_;
  Store& store_;
  // owned
  const std::function<void(const std::string&)> warn_;
  const Ref<Strand> strand_;
  std::shared_ptr<Sweeper> self_of_timer_;  // from start() until the timer is cancelled
  // state; two sweeps overlap when one takes longer than the interval
  std::mutex mutex_;  // guards what follows, and is held while calling the store
  bool stopped_ = false;
  TimerId timer_ = 0;
  PruneCursor cursor_;
  int sweeps_ = 0;
};

EventRetention::EventRetention(Runtime& runtime, Store& store, std::function<void(const std::string&)> warn)
    : sweeper_(std::make_shared<Sweeper>(runtime, store, std::move(warn))) {
  sweeper_->start();
}

EventRetention::~EventRetention() { sweeper_->stop(); }

uint64_t EventRetention::removed() const { return sweeper_->removed; }

}  // namespace patchbay::core
