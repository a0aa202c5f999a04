// OpenTransaction: a transaction while plugins add to it.
#pragma once

#include <mutex>
#include <vector>

#include "store/transaction.h"

namespace patchbay::core {

// Strands add one after the other, but a service may do so on another thread: hence the lock.
struct OpenTransaction {
  std::mutex mutex;
  Transaction data;
  std::vector<size_t> execs;  // indexes of operations, in order
  std::vector<size_t> savepoints;
};

}  // namespace patchbay::core
