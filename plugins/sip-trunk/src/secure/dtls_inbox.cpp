#include "secure/dtls_inbox.h"

#include <patchbay/guard.h>

#include <cstring>
#include <utility>

namespace patchbay::sip_trunk {

DtlsInbox::DtlsInbox(const Host& host, Function<void(const lib::Datagram&)> f)
    : host_(host), f_(std::move(f)) {}

void DtlsInbox::on_dtls(const lib::Datagram& datagram) noexcept {
  const uint32_t at = written_.load(std::memory_order_relaxed);
  if (at - read_.load(std::memory_order_acquire) == ring_.size()) return;
  lib::Datagram& slot = ring_[at % ring_.size()];
  std::memcpy(slot.data.data(), datagram.data.data(), datagram.size);
  slot.size = datagram.size;
  slot.sender = datagram.sender;
  written_.store(at + 1, std::memory_order_release);
  host_.runtime->strand_post(host_.self, kMainStrand, &DtlsInbox::deliver, this);
}

// Delivers all that wait, because the post of an earlier one may have been refused.
void DtlsInbox::deliver(void* self) noexcept {
  auto& inbox = *static_cast<DtlsInbox*>(self);
  uint32_t at = inbox.read_.load(std::memory_order_relaxed);
  while (at != inbox.written_.load(std::memory_order_acquire)) {
    guard_void([&] { inbox.f_(inbox.ring_[at % inbox.ring_.size()]); },
               [&](const char* text) { inbox.host_.log_thrown("DTLS", text); });
    inbox.read_.store(++at, std::memory_order_release);
  }
}

}  // namespace patchbay::sip_trunk
