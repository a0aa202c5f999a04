// Transactions: those that the plugin builds. They are data, and are sent to the server whole when they are
// committed. One that is handed to another plugin is sent at that moment, and each later operation at once.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "isolation/frame.h"

namespace patchbay::core::isolation {

// [any]
class Transactions {
 public:
  uint64_t begin();
  // Adds an operation (operations.h). PB_E_GONE: `tx` was made here and has ended.
  int32_t add(uint64_t tx, const Encoder& operation);
  // Sends it, because a message that names it follows.
  void share(uint64_t tx);
  // Commits it under that number. False: it has ended before. `sent`: it was not too large.
  bool commit(uint64_t tx, uint64_t number, bool& sent);
  void discard(uint64_t tx);

 private:
  struct Open {
    std::string operations;  // empty once shared
    bool shared = false;
    bool whole = true;  // false: a part of it was too large to be sent
  };
  std::mutex mutex_;  // while sending, too: what belongs to one transaction keeps its order
  std::map<uint64_t, Open> open_;
  uint64_t last_ = kBegunByChild;
};

}  // namespace patchbay::core::isolation
