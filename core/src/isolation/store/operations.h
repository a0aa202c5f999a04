// The operations of a transaction: all functions of pb_store that return a status and take a transaction. In
// a frame each is its number and its arguments; the number is its place among them, from 1.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "abi/host_functions.h"
#include "isolation/argument_wire.h"

namespace patchbay::core::isolation {

template <class Member>
struct Operation {
  static constexpr bool value = false;
};
template <class... A>
struct Operation<int32_t (*pb_store::*)(void*, uint64_t, A...) noexcept> {
  static constexpr bool value = true;
  using Function = int32_t (*)(void*, uint64_t, A...) noexcept;

  static bool run(Decoder& in, Function function, void* host, uint64_t tx) {
    const Arguments<A...> arguments(in);
    if (!in.ok()) return false;
    arguments.call([&](A... given) { function(host, tx, given...); });
    return true;
  }

  // The function of a table that gives the operation, as it is written, to add(tx, operation).
  template <uint32_t number, auto add>
  static int32_t write(void*, uint64_t tx, A... arguments) noexcept {
    Encoder out;
    out.u32(number);
    Arguments<A...>::put(out, arguments...);
    return add(tx, out);
  }
};

template <size_t I>
using OperationAt = Operation<std::remove_cv_t<decltype(host_function<pb_store, I>().member)>>;

template <size_t I>
constexpr uint32_t operation_number() {
  uint32_t number = 1;
  for_each_function<pb_store>([&]<size_t J>() { number += J < I && OperationAt<J>::value ? 1 : 0; });
  return number;
}

// Of "emit"; 0: there is no such operation.
constexpr uint32_t operation_number(std::string_view name) {
  uint32_t number = 0;
  for_each_function<pb_store>([&]<size_t I>() {
    if (OperationAt<I>::value && name == host_function<pb_store, I>().name) number = operation_number<I>();
  });
  return number;
}

// Adds what is in the frame, to its end, to the transaction `tx`. False: an operation made no sense.
inline bool run_operations(Decoder& in, const pb_store& store, void* host, uint64_t tx) {
  while (in.ok() && in.left() > 0) {
    const uint32_t wanted = in.u32();
    bool ran = false;
    for_each_function<pb_store>([&]<size_t I>() {
      if constexpr (OperationAt<I>::value) {
        if (operation_number<I>() == wanted)
          ran = OperationAt<I>::run(in, store.*host_function<pb_store, I>().member, host, tx);
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
    if constexpr (OperationAt<I>::value)
      table.*host_function<pb_store, I>().member =
          &OperationAt<I>::template write<operation_number<I>(), add>;
  });
  return table;
}

}  // namespace patchbay::core::isolation
