// MultiBuffers for threads that come and go: a thread borrows one for a few packets. Lock-free; there are as
// many as threads that use it at the same time, so a borrower always finds one.
#pragma once

#include <patchbay/result.h>

#include <atomic>
#include <memory>
#include <vector>

#include "srtp/multi_buffer.h"

namespace patchbay::lib {

class MultiBufferPool {
 public:
  // [any, may block] `threads`: that may borrow at the same time. Code::unavailable: libipsec-mb cannot be
  // used.
  static Result<std::unique_ptr<MultiBufferPool>> create(size_t threads);

  // Returned by the destructor. Null if more threads borrow than the pool was created for.
  class Loan {
   public:
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    ~Loan() {
      if (is_lent_ != nullptr) is_lent_->store(false, std::memory_order_release);
    }
    explicit operator bool() const noexcept { return buffer_ != nullptr; }
    MultiBuffer* operator->() const noexcept { return buffer_; }

   private:
    friend class MultiBufferPool;
    Loan(MultiBuffer* buffer, std::atomic<bool>* is_lent) noexcept : buffer_(buffer), is_lent_(is_lent) {}

    MultiBuffer* const buffer_;
    std::atomic<bool>* const is_lent_;
  };
  // [any, media]
  Loan borrow() noexcept;

 private:
  struct Entry {
    std::unique_ptr<MultiBuffer> buffer;
    alignas(64) std::atomic<bool> is_lent{false};
  };

  explicit MultiBufferPool(size_t threads) : entries_(threads) {}

  std::vector<Entry> entries_;
};

}  // namespace patchbay::lib
