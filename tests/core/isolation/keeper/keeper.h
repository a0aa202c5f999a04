// The services by which the keeper and the test's stamper pass transactions to each other.
#pragma once

#include <patchbay/service.h>

namespace patchbay::keeper {

struct Entry {
  Handle tx;  // to add to; 0: the keeper's own
  std::string word;
  PATCHBAY_FIELDS(tx, word)
};
struct Written {
  int64_t rows = 0;
  std::string what;
  PATCHBAY_FIELDS(rows, what)
};

// note: adds a row to the caller's transaction. write: commits a row in a transaction of the keeper, after
// the stamper has stamped it. count: how many rows there are, and how many times each job and event of the
// keeper came.
struct Keeper {
  static constexpr char id[] = "test.keeper/1";
  static constexpr Method<0, Entry, Empty> note{"note"};
  static constexpr Method<1, Entry, Written> write{"write"};
  static constexpr Method<2, Empty, Written> count{"count"};
  static constexpr auto methods() { return std::make_tuple(note, write, count); }
};

struct Stamper {
  static constexpr char id[] = "test.stamper/1";
  static constexpr Method<0, Entry, Empty> stamp{"stamp"};
  static constexpr auto methods() { return std::make_tuple(stamp); }
};

}  // namespace patchbay::keeper
