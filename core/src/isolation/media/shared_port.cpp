#include "isolation/media/shared_port.h"

#include <utility>

namespace patchbay::core::isolation {

SharedPort::SharedPort(std::unique_ptr<Ring> ring, uint32_t pull_rate_hz, uint32_t push_rate_hz)
    : ring_(std::move(ring)), table_{sizeof(pb_port), pull_rate_hz, push_rate_hz, 0, &attached, &pull,
                                     &push,           &detached,    nullptr,      0, 0} {}

void SharedPort::attached(void* self, uint32_t) noexcept {
  SharedAudio& shared = of(self).ring_->shared();
  shared.to_parent.clear();
  shared.joined.fetch_add(1, std::memory_order_release);
}

void SharedPort::pull(void* self, pb_frame* out) noexcept {
  if (of(self).ring_->shared().to_parent.pop(*out)) return;
  out->flags |= PB_FRAME_SILENCE;
  out->samples = 0;
}

void SharedPort::push(void* self, const pb_frame* in) noexcept {
  of(self).ring_->shared().to_child.push(*in);
}

void SharedPort::detached(void* self) noexcept {
  of(self).ring_->shared().joined.fetch_add(1, std::memory_order_release);
}

}  // namespace patchbay::core::isolation
