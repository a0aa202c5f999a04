// Registration: base class of everything that calls back (subscription, timer, service, job). It is bound to
// a strand and ended by close(done):
// - Called on that strand: no callback runs after close() returns.
// - Called elsewhere: no callback runs after done().
// - done() is called once, on that strand, when no callback is queued or running. If the strand has closed,
//   no callback can run any more, and done() is called at once on the caller's thread.
// No lock is held during a callback.
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

  // [any] False once closed, or once the strand suppresses callbacks. Check it on the strand before each
  // callback.
  bool open() const noexcept {
    return (state_.load(std::memory_order_acquire) & kClosed) == 0 && !strand_->callbacks_suppressed();
  }

  // [any] Brackets a callback that runs off the strand; close() waits for callbacks inside. enter() returns
  // false once closed; then leave() must not be called.
  bool enter() noexcept;
  void leave() noexcept;

  // [any] May be called several times; each `done` that is not null is called once.
  void close(CallFn done, void* user);

  Strand& strand() const noexcept { return *strand_; }

 protected:
  friend class RefCounted<Registration>;
  virtual ~Registration() = default;

 private:
  static constexpr uint64_t kClosed = 1ull << 63;

  // A task that is posted to the strand without an allocation, as it is a member.
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
  std::atomic<uint64_t> state_{0};  // kClosed, and the number of callbacks inside
  Hop fence_;                       // posted by close(), behind what was queued before
  Hop last_;                        // posted when the last callback inside has left
};

}  // namespace patchbay::core
