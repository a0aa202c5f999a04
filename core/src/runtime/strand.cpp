#include "runtime/strand.h"

#include "runtime/executor.h"
#include "runtime/executor_slot.h"
#include "runtime/limits.h"
#include "runtime/owner_load.h"
#include "runtime/thread_kind.h"

namespace patchbay::core {
namespace {

thread_local constinit Strand* running = nullptr;

}  // namespace

Ref<Strand> Strand::create(Executor& executor, std::string owner, std::string name) {
  return Ref<Strand>::adopt(new Strand(executor, std::move(owner), std::move(name)));
}

Strand::Strand(Executor& executor, std::string owner, std::string name)
    : executor_(executor), load_(executor.load_of(owner)), owner_(std::move(owner)), name_(std::move(name)) {}

Strand* Strand::current() noexcept { return running; }

bool Strand::post(CallFn fn, void* user) {
  if (closing()) return false;
  Task& call = make_call(fn, user);
  if (push(call)) return true;
  discard_call(call);
  return false;
}

Code Strand::post_bounded(CallFn fn, void* user) {
  if (closing()) return Code::gone;
  Task* call = make_counted_call(fn, user, load_.calls);
  if (call == nullptr) return Code::exhausted;
  if (push(*call)) return Code::ok;
  discard_call(*call);
  return Code::gone;
}

Code Strand::run_bounded(CallFn fn, void* user) {
  if (closing()) return Code::gone;
  Task* call = make_counted_call(fn, user, load_.calls);
  if (call == nullptr) return Code::exhausted;
  if (executor_.run_here(*this, *call)) return Code::ok;
  discard_call(*call);
  return Code::gone;
}

bool Strand::push(Task& task) noexcept {
  Task* head = head_.load(std::memory_order_acquire);
  do {
    if (head == &over_) return false;
    task.next = head == &idle_ ? nullptr : head;
  } while (!head_.compare_exchange_weak(head, &task, std::memory_order_acq_rel, std::memory_order_acquire));
  if (head == &idle_) {
    add_ref();  // held while scheduled; the executor releases it once the strand is idle
    executor_.schedule(*this);
  }
  return true;
}

void Strand::close(CallFn done, void* user) {
  const Ref<Strand> hold(this);
  if (done) {
    Task& waiter = make_call(done, user);
    if (!closed_.add(waiter)) waiter.run(waiter);
  }
  // The turn that finds the queue empty while closing_ is set closes the strand; wake_ makes sure that one
  // comes.
  if (!closing_.exchange(true, std::memory_order_acq_rel)) push(wake_);
}

Task* Strand::next_task() noexcept {
  if (!local_) {
    // Only a scheduled strand runs, so the head is null or a task, never a sentinel.
    Task* newest = head_.load(std::memory_order_relaxed);
    if (!newest) return nullptr;
    local_ = reverse_chain<Task, &Task::next>(head_.exchange(nullptr, std::memory_order_acquire));
  }
  Task* task = local_;
  local_ = task->next;
  return task;
}

Strand::Turn Strand::run_turn(ExecutorSlot& slot) noexcept {
  running = this;
  const OwnerScope scope(owner_.c_str());
  Turn turn = Turn::more;
  for (int ran = 0; ran < kMaxTasksPerTurn; ++ran) {
    if (Task* task = next_task()) {
      if (slot.host && for_executor_.load(std::memory_order_relaxed) > 0) {
        local_ = task;  // put back
        break;
      }
      // What the tasks before it have made ready does not wait for this one, except on a guest, which keeps
      // it.
      if (executor_.hand_over(slot)) executor_.wake_one();
      slot.note_progress();
      task->run(*task);
      continue;
    }
    const bool closing = this->closing();
    Task* empty = nullptr;
    if (!head_.compare_exchange_strong(empty, closing ? &over_ : &idle_, std::memory_order_acq_rel)) continue;
    // An idle strand may already run on another thread, so this object must not be touched from here on.
    turn = closing ? Turn::closed : Turn::idle;
    if (closing) closed_.complete();
    break;
  }
  running = nullptr;
  return turn;
}

}  // namespace patchbay::core
