#include "srtp/multi_buffer_pool.h"

namespace patchbay::lib {

Result<std::unique_ptr<MultiBufferPool>> MultiBufferPool::create(size_t threads) {
  std::unique_ptr<MultiBufferPool> pool(new MultiBufferPool(threads));
  for (Entry& entry : pool->entries_) {
    PB_TRY_VALUE(entry.buffer, MultiBuffer::create());
  }
  return pool;
}

MultiBufferPool::Loan MultiBufferPool::borrow() noexcept {
  for (Entry& entry : entries_)
    if (!entry.is_lent.exchange(true, std::memory_order_acquire)) return {entry.buffer.get(), &entry.is_lent};
  return {nullptr, nullptr};
}

}  // namespace patchbay::lib
