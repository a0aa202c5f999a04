#include "hand_media.h"

#include <pthread.h>

#include <cerrno>
#include <utility>

#include "runtime/thread_kind.h"

namespace patchbay::fake {
namespace {

void wait(sem_t& semaphore) {
  while (sem_wait(&semaphore) != 0 && errno == EINTR) {
  }
}

}  // namespace

struct HandMedia::Attachment {
  pb_tick_fn fn = nullptr;
  void* user = nullptr;
  core::AttachId id = 0;
  core::CallFn done = nullptr;
  void* done_user = nullptr;
  std::shared_ptr<Attachment> self;  // while the loop may still tick it
};

HandMedia::HandMedia(const core::MonoClock& clock) : loop_(clock) {
  sem_init(&asked_, 0, 0);
  sem_init(&done_, 0, 0);
  loop_.on_command([](void* self) { sem_post(&static_cast<HandMedia*>(self)->asked_); }, this);
  thread_ = std::thread([this] { run(); });
}

HandMedia::~HandMedia() {
  stopping_ = true;
  sem_post(&asked_);
  thread_.join();
  loop_.stop();
  sem_destroy(&asked_);
  sem_destroy(&done_);
}

uint64_t HandMedia::attach(uint32_t loop, pb_tick_fn fn, void* user) {
  if (fn == nullptr || (loop != PB_LOOP_ANY && loop != 0)) return 0;
  auto attachment = std::make_shared<Attachment>();
  attachment->fn = fn;
  attachment->user = user;
  attachment->self = attachment;
  attachment->id = loop_.attach(&HandMedia::tick, attachment.get());
  return attachments_.add(std::move(attachment));
}

void HandMedia::detach(uint64_t handle, core::CallFn done, void* user) {
  const auto attachment = attachments_.take(handle);
  if (!attachment) return;
  attachment->done = done;
  attachment->done_user = user;
  static_cast<void>(loop_.detach(attachment->id, nullptr, &HandMedia::detached, attachment.get()));
}

bool HandMedia::pump(core::CallFn fn, void* user) {
  fn_ = fn;
  user_ = user;
  pumped_.store(true, std::memory_order_release);
  sem_post(&asked_);
  wait(done_);
  return attached_.load(std::memory_order_acquire);
}

void HandMedia::run() {
  pthread_setname_np(pthread_self(), "pb-media");
  core::thread_state.kind = core::ThreadKind::media;
  while (!stopping_) {
    wait(asked_);
    turn();
  }
}

void HandMedia::turn() {
  // Ticks that passed while nothing was attached are not owed.
  if (!attached_.load(std::memory_order_relaxed)) loop_.resume();
  deadline_ns_.store(loop_.run_due(), std::memory_order_release);
  attached_.store(!loop_.empty(), std::memory_order_release);
  if (!pumped_.exchange(false, std::memory_order_acq_rel)) return;
  if (fn_ != nullptr) fn_(user_);
  sem_post(&done_);
}

void HandMedia::tick(void* self, uint64_t number, int64_t now_ns) {
  auto* attachment = static_cast<Attachment*>(self);
  const pb_tick tick{sizeof(pb_tick), 0, static_cast<int64_t>(number), now_ns};
  attachment->fn(attachment->user, &tick);
}

void HandMedia::detached(void* self) {
  const auto attachment = std::move(static_cast<Attachment*>(self)->self);
  if (attachment->done != nullptr) attachment->done(attachment->done_user);
}

}  // namespace patchbay::fake
