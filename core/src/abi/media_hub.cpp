#include "abi/media_hub.h"

#include <utility>

namespace patchbay::core {

uint64_t MediaHub::attach(uint32_t loop, pb_tick_fn fn, void* user) {
  if (fn == nullptr || (loop != PB_LOOP_ANY && loop >= loops())) return 0;
  MediaLoop* target = loop == PB_LOOP_ANY ? &pool_.least_loaded() : &pool_.at(loop);
  auto attachment = std::make_shared<Attachment>();
  attachment->fn = fn;
  attachment->user = user;
  for (uint32_t i = 0; i < loops(); ++i) {
    if (&pool_.at(i) == target) attachment->loop = i;
  }
  attachment->self = attachment;
  attachment->id = target->attach(&MediaHub::tick, attachment.get());
  return attachments_.add(std::move(attachment));
}

void MediaHub::detach(uint64_t handle, CallFn done, void* user) {
  const auto attachment = attachments_.take(handle);
  if (!attachment) return;
  attachment->done = done;
  attachment->done_user = user;
  static_cast<void>(
      pool_.at(attachment->loop).detach(attachment->id, nullptr, &MediaHub::detached, attachment.get()));
}

void MediaHub::tick(void* self, uint64_t number, int64_t now_ns) {
  auto* attachment = static_cast<Attachment*>(self);
  const pb_tick tick{sizeof(pb_tick), attachment->loop, static_cast<int64_t>(number), now_ns};
  attachment->fn(attachment->user, &tick);
}

void MediaHub::detached(void* self) {
  const auto attachment = std::move(static_cast<Attachment*>(self)->self);
  if (attachment->done != nullptr) attachment->done(attachment->done_user);
}

}  // namespace patchbay::core
