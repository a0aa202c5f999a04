// Transactions: those of the plugin while it builds them. They are data, and go to the server whole when they
// are committed; one that is handed to another plugin goes there at that moment, and what is added later
// follows at once.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "isolation/wire.h"

namespace patchbay::core::isolation {

// [any]
class Transactions {
 public:
  uint64_t begin();
  // Adds an operation as store_wire.h writes it. PB_E_GONE: `tx` was made here and has ended.
  int32_t add(uint64_t tx, const Encoder& operation);
  // It is about to be named in a message.
  void share(uint64_t tx);
  // Ends it with a commit under that number. False: it has ended before. `sent`: it was not too large.
  bool commit(uint64_t tx, uint64_t number, bool& sent);
  void discard(uint64_t tx);

 private:
  struct Open {
    std::string operations;  // as long as it is not shared
    bool shared = false;
    bool whole = true;  // false: a part of it was too large to be sent
  };
  std::mutex mutex_;  // while sending, too: what belongs to one transaction keeps its order
  std::map<uint64_t, Open> open_;
  uint64_t last_ = kMadeByChild;
};

}  // namespace patchbay::core::isolation
