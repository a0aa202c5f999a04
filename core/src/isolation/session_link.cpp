#include "isolation/session_link.h"

#include <algorithm>

#include "abi/media_registry.h"
#include "abi/store_registry.h"
#include "isolation/host_call_wire.h"
#include "services/service_registry.h"

namespace patchbay::core::isolation {
namespace {

constexpr uint64_t kClosedHandle = kBegunByChild - 1;  // no handle is ever so large

}  // namespace

bool SessionLink::send_if_room(Encoder& out) {
  if (channel_ == nullptr) return true;
  return has_room() && channel_->send(out.take());
}

void SessionLink::answer(uint64_t seq, uint64_t value, int32_t status, std::string_view text) {
  const auto head = [&] { return Encoder(Kind::answer).u64(seq); };
  Encoder whole = head();
  if (send(whole.u64(value).u32(static_cast<uint32_t>(status)).str(text))) return;
  Encoder none = head();
  send(none.u64(0).u32(static_cast<uint32_t>(PB_E_EXHAUSTED)).str(kTooLarge));
}

bool SessionLink::refuse(uint64_t seq, std::string_view what) {
  too_many(what);
  answer(seq, 0, PB_E_EXHAUSTED, "the plugin has too many " + std::string(what));
  return true;
}

void SessionLink::grant(uint64_t handle) {
  granted_.insert(handle);
  if (granted_.size() >= cleanup_at_) forget_closed();
}

void SessionLink::forget_closed() {
  HostServices& services = context_.services();
  for (auto at = granted_.begin(); at != granted_.end();) {
    const bool alive =
        services.registry.find(*at) || services.media.port(*at) || services.store.transactions().find(*at);
    at = alive ? std::next(at) : granted_.erase(at);
  }
  cleanup_at_ = std::max<size_t>(1024, 2 * granted_.size());
}

bool SessionLink::is_open_transaction(uint64_t tx) const {
  return static_cast<bool>(context_.services().store.transactions().find(tx));
}

uint64_t SessionLink::outgoing(uint64_t handle) {
  grant(handle);
  return handle;
}

uint64_t SessionLink::incoming(uint64_t handle) {
  if ((handle & kBegunByChild) == 0) return is_granted(handle) ? handle : kClosedHandle;
  const auto at = transactions.find(handle);
  return at == transactions.end() ? kClosedHandle : at->second;
}

}  // namespace patchbay::core::isolation
