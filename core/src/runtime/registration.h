// Registration: the one promise behind everything that calls back (subscription, timer, service, job). It is
// bound to a strand and ends by close(done):
// - called on that strand, nothing of it runs after close() returns;
// - called elsewhere, nothing of it runs after done();
// - done is called once, on that strand, when nothing is queued or running. If the strand is closed for good,
// nothing
//   can run any more and done is called at once on the caller's thread.
// No lock is involved, so no callback can run while one is held.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/completion_list.h"
#include "runtime/ref.h"
#include "runtime/strand.h"

namespace patchbay::core {

class Registration : public RefCounted<Registration> {
 public:
  explicit Registration(Ref<Strand> strand);

  // [any] Whoever is about to call back on the strand asks this first, there.
  bool open() const noexcept {
    return (state_.load(std::memory_order_acquire) & kClosed) == 0 && !strand_->callbacks_suppressed();
  }

  // [any] For callbacks that run elsewhere than on the strand: enter() before, leave() after. A close() waits
  // for those inside. enter() is false once closed; then there is no leave().
  bool enter() noexcept;
  void leave() noexcept;

  // [any] May be called several times; each `done` (or null) is called once.
  void close(CallFn done, void* user);

  Strand& strand() const noexcept { return *strand_; }

 protected:
  friend class RefCounted<Registration>;
  virtual ~Registration() = default;

 private:
  static constexpr uint64_t kClosed = 1ull << 63;

  // A hop to the strand; it knows its registration without an allocation.
  struct Hop : Task {
    Hop(Registration& to, RunFn fn) noexcept : Task(fn), self(to) {}
    Registration& self;
  };

  void hop(Hop& to) noexcept;
  void complete() noexcept;

  // owned
  const Ref<Strand> strand_;
  CompletionList done_;
  // state
  std::atomic<uint64_t> state_{0};  // kClosed, and how many are inside
  Hop fence_;                       // behind what was queued when it closed
  Hop last_;                        // after the last one inside has left
};

}  // namespace patchbay::core
