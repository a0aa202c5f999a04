#include "isolation/link.h"

#include <algorithm>

#include "abi/media_hub.h"
#include "abi/store_hub.h"
#include "services/service_registry.h"

namespace patchbay::core::isolation {
namespace {

constexpr uint64_t kDeadHandle = kMadeByChild - 1;  // no handle is ever so large

}  // namespace

bool Link::send_if_room(Encoder& out) {
  if (channel_ == nullptr) return true;
  return has_room() && channel_->send(out.take());
}

void Link::answer(uint64_t seq, uint64_t value, int32_t status, std::string_view text) {
  const auto head = [&] { return Encoder(Kind::answer).u64(seq); };
  Encoder whole = head();
  if (send(whole.u64(value).u32(static_cast<uint32_t>(status)).str(text))) return;
  Encoder none = head();
  send(none.u64(0).u32(static_cast<uint32_t>(PB_E_EXHAUSTED)).str("too large for an isolated plugin"));
}

bool Link::refuse(uint64_t seq, std::string_view what) {
  too_many(what);
  answer(seq, 0, PB_E_EXHAUSTED, "the plugin has too many " + std::string(what));
  return true;
}

void Link::lend(uint64_t handle) {
  lent_.insert(handle);
  if (lent_.size() >= look_at_) forget_dead();
}

void Link::forget_dead() {
  HostServices& services = context_.services();
  for (auto at = lent_.begin(); at != lent_.end();) {
    const bool alive =
        services.registry.find(*at) || services.media.port(*at) || services.store.transactions().find(*at);
    at = alive ? std::next(at) : lent_.erase(at);
  }
  look_at_ = std::max<size_t>(1024, 2 * lent_.size());
}

bool Link::is_open_transaction(uint64_t tx) const {
  return static_cast<bool>(context_.services().store.transactions().find(tx));
}

uint64_t Link::outgoing(uint64_t handle) {
  lend(handle);
  return handle;
}

uint64_t Link::incoming(uint64_t handle) {
  if ((handle & kMadeByChild) == 0) return is_lent(handle) ? handle : kDeadHandle;
  const auto at = transactions.find(handle);
  return at == transactions.end() ? kDeadHandle : at->second;
}

}  // namespace patchbay::core::isolation
