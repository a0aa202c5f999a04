// The operations of a transaction: all functions of pb_store that return a status and take a transaction. In
// a frame each is its function's number and its arguments.
#pragma once

#include <cstdint>

#include "isolation/host_call_wire.h"

namespace patchbay::core::isolation {

template <size_t I, class Member = MemberOf<pb_store, I>>
struct Operation;
template <size_t I, class... A>
struct Operation<I, int32_t (*pb_store::*)(void*, uint64_t, A...) noexcept> {
  static constexpr uint32_t number = function_number<pb_store, I>();

  // False: it is invalid.
  static bool run(Decoder& in, const pb_store& store, void* host, uint64_t tx) {
    const Arguments<A...> arguments(in);
    if (!in.ok()) return false;
    arguments.call([&](A... given) { (store.*host_function<pb_store, I>().member)(host, tx, given...); });
    return true;
  }

  // A table's function that encodes the operation and passes it to add(tx, operation).
  template <auto add>
  static int32_t write(void*, uint64_t tx, A... arguments) noexcept {
    Encoder out;
    out.u32(number);
    Arguments<A...>::put(out, arguments...);
    return add(tx, out);
  }
};

// Adds the operations in the rest of the frame to the transaction `tx`. False: one of them is invalid.
inline bool run_operations(Decoder& in, const pb_store& store, void* host, uint64_t tx) {
  while (in.ok() && in.left() > 0) {
    const uint32_t wanted = in.u32();
    bool ran = false;
    for_each_function<pb_store>([&]<size_t I>() {
      if constexpr (call_kind_of<pb_store, I>() == CallKind::operation) {
        if (Operation<I>::number == wanted) ran = Operation<I>::run(in, store, host, tx);
      }
    });
    if (!ran) return false;
  }
  return in.ok();
}

// The table with functions that write operations.
template <auto add>
constexpr pb_store with_operations(pb_store table) {
  for_each_function<pb_store>([&]<size_t I>() {
    if constexpr (call_kind_of<pb_store, I>() == CallKind::operation)
      table.*host_function<pb_store, I>().member = &Operation<I>::template write<add>;
  });
  return table;
}

}  // namespace patchbay::core::isolation
