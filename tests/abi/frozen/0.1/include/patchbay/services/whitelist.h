// patchbay.whitelist: the numbers that may be dialled. Provided by the plugin whitelist, which also registers
// a dial gate with patchbay.telephony. Maturity: experimental.
#pragma once

#include "../service.h"

namespace patchbay::whitelist {

struct Add {
  Handle tx;  // the transaction to add to (patchbay/store.h)
  std::string tenant;
  std::string number;
  std::string comment;
  PATCHBAY_FIELDS(tx, tenant, number, comment)
};

// Thread: runs on the provider's main strand, answers on the strand of the caller.
// Lifetime: the caller keeps the transaction, and commits or discards it after the reply.
// Since: 0.1
struct Whitelist {
  static constexpr char id[] = "patchbay.whitelist/1";
  // Adds exactly one exec() to the transaction; it returns one row when the number is added, none when it was
  // listed already. Put it between savepoint and release if the transaction shall survive its failure.
  static constexpr Method<0, Add, Empty> add{"add"};
  static constexpr auto methods() { return std::make_tuple(add); }
};

}  // namespace patchbay::whitelist
