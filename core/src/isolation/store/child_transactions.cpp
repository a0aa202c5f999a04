#include "isolation/store/child_transactions.h"

#include <patchbay/abi/base.h>

#include <utility>

#include "isolation/child_host.h"

namespace patchbay::core::isolation {
namespace {

bool send(Encoder& out) { return ChildHost::get().send(out); }

}  // namespace

uint64_t Transactions::begin() {
  const std::lock_guard lock(mutex_);
  open_.emplace(++last_, Open{});
  return last_;
}

int32_t Transactions::add(uint64_t tx, const Encoder& operation) {
  const std::lock_guard lock(mutex_);
  const auto at = open_.find(tx);
  if ((tx & kBegunByChild) != 0 && at == open_.end()) return PB_E_GONE;
  if (at != open_.end() && !at->second.shared) {
    at->second.operations += operation.frame();
    return PB_OK;
  }
  Encoder out(Kind::tx_add);
  if (send(out.u64(tx).bytes(operation.frame()))) return PB_OK;
  if (at != open_.end()) at->second.whole = false;
  return PB_E_EXHAUSTED;
}

void Transactions::share(uint64_t tx) {
  const std::lock_guard lock(mutex_);
  const auto at = open_.find(tx);
  if (at == open_.end() || at->second.shared) return;
  Encoder out(Kind::tx_share);
  at->second.whole = send(out.u64(tx).bytes(std::exchange(at->second.operations, {})));
  at->second.shared = true;
}

bool Transactions::commit(uint64_t tx, uint64_t number, bool& sent) {
  const std::lock_guard lock(mutex_);
  const auto at = open_.find(tx);
  if (at == open_.end()) return false;
  Encoder out(Kind::commit);
  out.u64(number).u64(at->second.shared ? tx : 0).bytes(at->second.operations);
  sent = at->second.whole && send(out);
  open_.erase(at);
  return true;
}

void Transactions::discard(uint64_t tx) {
  const std::lock_guard lock(mutex_);
  const auto at = open_.find(tx);
  if (at == open_.end()) return;
  if (at->second.shared) {
    Encoder out(Kind::discard);
    send(out.u64(tx));
  }
  open_.erase(at);
}

}  // namespace patchbay::core::isolation
