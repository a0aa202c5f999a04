#include "abi/port.h"

#include <patchbay/audio.h>

#include <utility>

#include "runtime/thread_kind.h"

namespace patchbay::core {

// The owner's table ends before stream_to if its header is older.
Port::Port(const pb_port* table, void* self, PortOwner owner, Ref<Strand> strand)
    : table_(table),
      self_(self),
      owner_(owner),
      strand_(std::move(strand)),
      shown_{sizeof(pb_port),
             table->pull_rate_hz,
             table->push_rate_hz,
             0,
             &Port::attached,
             &Port::pull,
             &Port::push,
             &Port::detached,
             PB_HAS(table, stream_to) ? &Port::stream_to : nullptr,
             push_flags_of(*table),
             0} {}

void Port::attached(void* self, uint32_t loop) noexcept {
  Port& port = of(self);
  port.loop_.store(loop, std::memory_order_relaxed);
  if (!port.reachable()) return;
  const OwnerScope scope(port.owner_.name);
  const CallbackScope what("port attached");
  port.table_->attached(port.self_, loop);
}

void Port::pull(void* self, pb_frame* out) noexcept {
  Port& port = of(self);
  if (!port.reachable()) {
    out->samples = 0;
    out->flags |= PB_FRAME_SILENCE;
    return;
  }
  const OwnerScope scope(port.owner_.name);
  const CallbackScope what("port pull");
  port.table_->pull(port.self_, out);
}

void Port::push(void* self, const pb_frame* in) noexcept {
  Port& port = of(self);
  if (!port.reachable()) return;
  const OwnerScope scope(port.owner_.name);
  const CallbackScope what("port push");
  port.table_->push(port.self_, in);
}

void Port::detached(void* self) noexcept {
  Port& port = of(self);
  port.loop_.store(PB_LOOP_ANY, std::memory_order_relaxed);
  if (!port.reachable()) return;
  const OwnerScope scope(port.owner_.name);
  const CallbackScope what("port detached");
  port.table_->detached(port.self_);
}

// The owner gets a function of the core instead of the sink, because a plugin that ends may leave its sink
// behind.
int32_t Port::stream_to(void* self, uint32_t flags, pb_frame_fn sink, void* user) noexcept {
  Port& port = of(self);
  const char* const opener = current_owner() != nullptr ? current_owner() : "";
  port.sink_opener_.store(nullptr, std::memory_order_release);
  port.sink_ = sink;
  port.sink_user_ = user;
  if (!port.reachable()) return 0;
  const OwnerScope scope(port.owner_.name);
  const CallbackScope what("port stream_to");
  if (sink != nullptr) port.sink_opener_.store(opener, std::memory_order_release);
  return port.table_->stream_to(port.self_, flags, sink != nullptr ? &Port::pass_frame : nullptr, &port);
}

void Port::pass_frame(void* self, const pb_frame* frame) noexcept {
  const Port& port = of(self);
  if (port.sink_opener_.load(std::memory_order_acquire) != nullptr) port.sink_(port.sink_user_, frame);
}

bool Port::add_user() noexcept {
  uint32_t users = users_.load(std::memory_order_acquire);
  do {
    if ((users & kClosed) != 0) return false;
  } while (!users_.compare_exchange_weak(users, users + 1, std::memory_order_acq_rel));
  return true;
}

void Port::remove_user() noexcept {
  if (users_.fetch_sub(1, std::memory_order_acq_rel) == (kClosed | 1)) finish();
}

void Port::close(CallFn done, void* user) noexcept {
  done_ = done;
  user_ = user;
  if (users_.fetch_or(kClosed, std::memory_order_acq_rel) == 0) finish();
}

void Port::finish() noexcept {
  if (done_ == nullptr) return;
  add_ref();  // of last_
  // A closed strand runs no tasks; no other code of the plugin runs then, so calling it here is safe.
  if (!strand_->push(last_)) last_.run(last_);
}

void Port::Last::run_done(Task& task) noexcept {
  const Ref<Port> port = Ref<Port>::adopt(&static_cast<Last&>(task).of);
  port->done_(port->user_);
}

}  // namespace patchbay::core
