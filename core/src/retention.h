// Retention: forgets events of the log that are old and that no consumer waits for.
#pragma once

#include <cstdint>

#include "runtime/runtime.h"
#include "runtime/strand.h"
#include "store/store.h"

namespace patchbay::core {

// Made and ended by the Core; runs on a strand of its own, an hour apart.
class Retention {
 public:
  static constexpr int64_t kKeepMs = int64_t{30} * 24 * 3600 * 1000;
  static constexpr int64_t kEveryMs = 3600 * 1000;
  static constexpr int64_t kAtOnce = 10000;  // so that one sweep does not hold the writer for long

  Retention(Runtime& runtime, Store& store);
  // Nothing of it runs after this.
  ~Retention();

 private:
  static void sweep(void* self);
  void arm();

  // borrowed
  Runtime& runtime_;
  Store& store_;
  // owned
  Ref<Strand> strand_;
  // state, on the strand
  TimerId timer_ = 0;
  bool ended_ = false;
};

}  // namespace patchbay::core
