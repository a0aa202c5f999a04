#include "isolation/child_host_calls.h"
#include "isolation/store/transaction_operations.h"

namespace patchbay::core::isolation {
namespace child_store_slots {
namespace {

Transactions& transactions() { return ChildHost::get().transactions(); }
int32_t add(uint64_t tx, const Encoder& operation) { return transactions().add(tx, operation); }

uint64_t begin(void*) noexcept { return transactions().begin(); }

void commit(void*, uint64_t tx, uint64_t strand, pb_commit_fn fn, void* user) noexcept {
  const uint64_t question = expect_result(strand, fn, user);
  bool sent = false;
  if (!transactions().commit(tx, question, sent))
    return ChildHost::get().refuse(failed(question, fn, PB_E_GONE, "the transaction has ended"));
  if (!sent) ChildHost::get().refuse(failed(question, fn, PB_E_EXHAUSTED, kTooLarge));
}

void discard(void*, uint64_t tx) noexcept { transactions().discard(tx); }
int64_t epoch(void*) noexcept { return ChildHost::get().epoch(); }
pb_str data_folder(void*) noexcept { return to_abi(ChildHost::get().context().data_folder()); }

constexpr pb_store kTable = [] {
  pb_store table{};
  table.size = sizeof table;
  table.begin = &begin;
  table.commit = &commit;
  table.discard = &discard;
  table.epoch = &epoch;
  table.data_folder = &data_folder;
  return crossing(with_operations<&add>(table));
}();

}  // namespace
}  // namespace child_store_slots

const pb_store& child_store() noexcept { return child_store_slots::kTable; }

}  // namespace patchbay::core::isolation
