// OpenTransaction: a transaction while plugins add to it.
#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "store/transaction.h"

namespace patchbay::core {

// Any thread: the plugin that builds it and a service that adds to it may do so at once. An operation that
// cannot be added makes the commit fail, because callers do not check the result of each.
class OpenTransaction {
 public:
  struct Built {
    Transaction data;
    std::vector<size_t> execs;  // indexes of operations, in order
    std::vector<size_t> savepoints;
    Status status;  // why it cannot be committed
  };

  // PB_OK; PB_E_GONE once it was taken; PB_E_EXHAUSTED beyond kMaxTransactionBytes.
  int32_t add(Op op);
  // Makes the commit fail for that reason; returns its code.
  int32_t refuse(Error why);
  // Ends it. nullopt: it has ended before.
  std::optional<Built> take();

 private:
  int32_t refuse_locked(Error why);

  std::mutex mutex_;  // guards all
  Built built_;
  size_t bytes_ = 0;
  bool ended_ = false;
};

}  // namespace patchbay::core
