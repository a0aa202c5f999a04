#include "isolation/store/session_store.h"

#include <utility>

#include "isolation/limits.h"
#include "isolation/store/transaction_operations.h"

namespace patchbay::core::isolation {

uint64_t SessionStore::known(uint64_t tx) const {
  if ((tx & kBegunByChild) == 0) return link_->is_granted(tx) ? tx : 0;
  const auto at = link_->transactions.find(tx);
  return at == link_->transactions.end() ? 0 : at->second;
}

bool SessionStore::share(Decoder& in) {
  const uint64_t number = in.u64();
  auto& shared = link_->transactions;
  if (!in.ok() || (number & kBegunByChild) == 0 || shared.count(number) != 0) return false;
  if (shared.size() >= kMaxSharedTransactions) {
    link_->too_many("open transactions");  // its handle is then unknown, and its commit fails
    return true;
  }
  const uint64_t tx = link_->host().store->begin(link_->self());
  shared[number] = tx;
  return add_to(tx, in);
}

// If its owner has ended it meanwhile, the operations have no effect.
bool SessionStore::add(Decoder& in) {
  const uint64_t tx = known(in.u64());
  return add_to(tx, in);
}

bool SessionStore::add_to(uint64_t tx, Decoder& in) {
  const size_t bytes = in.left();
  if (all_open_bytes_ + bytes > kMaxOpenTransactionBytes) forget_ended();
  if (all_open_bytes_ + bytes > kMaxOpenTransactionBytes) {
    link_->too_many("bytes in open transactions");
    link_->host().store->discard(link_->self(), tx);
    return in.ok();
  }
  if (bytes > 0) open_bytes_[tx] += bytes;
  all_open_bytes_ += bytes;
  return run_operations(in, *link_->host().store, link_->self(), tx);
}

void SessionStore::forget(uint64_t tx) {
  const auto at = open_bytes_.find(tx);
  if (at == open_bytes_.end()) return;
  all_open_bytes_ -= at->second;
  open_bytes_.erase(at);
}

void SessionStore::forget_ended() {
  for (auto at = open_bytes_.begin(); at != open_bytes_.end();) {
    if (link_->is_open_transaction(at->first)) {
      ++at;
      continue;
    }
    all_open_bytes_ -= at->second;
    at = open_bytes_.erase(at);
  }
}

bool SessionStore::discard(Decoder& in) {
  const uint64_t number = in.u64();
  const auto at = link_->transactions.find(number);
  if (at == link_->transactions.end()) return in.whole();
  link_->host().store->discard(link_->self(), at->second);
  forget(at->second);
  link_->transactions.erase(at);
  return in.whole();
}

bool SessionStore::commit(Decoder& in) {
  const uint64_t number = in.u64();
  const uint64_t name = in.u64();
  if (!in.ok()) return false;
  const pb_store& store = *link_->host().store;
  uint64_t tx = 0;  // its commit is answered "gone"
  if (const auto at = link_->transactions.find(name); at != link_->transactions.end()) {
    tx = at->second;
    forget(tx);
    link_->transactions.erase(at);
  }
  auto asked = calls_.ask<const pb_commit*>(number, in.left());
  if (!asked) {
    if (tx != 0) store.discard(link_->self(), tx);
    return true;
  }
  if (name == 0) tx = store.begin(link_->self());
  if (!run_operations(in, store, link_->self(), tx)) {
    store.discard(link_->self(), tx);
    return false;
  }
  store.commit(link_->self(), tx, kMainStrand, &Relay::call<const pb_commit*>, asked.release());
  return true;
}

void SessionStore::end() {
  for (const auto& [number, tx] : std::exchange(link_->transactions, {}))
    link_->host().store->discard(link_->self(), tx);
}

}  // namespace patchbay::core::isolation
