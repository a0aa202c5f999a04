// interposed<Hook>(): a copy of a table whose functions go through a hook, made from the rows of
// host_functions.h. The core puts its checks in front of its own functions with it (guarded_table.h), and
// `patchbay plugin validate` its faults in front of those of any host.
//
//   struct Hook {
//     template <class Table, size_t I> static constexpr bool wants();  // of the table's function I
//     template <class Table, size_t I, class... A> static auto call(void* host, A... arguments) noexcept;
//   };
#pragma once

#include <cstddef>
#include <type_traits>

#include "abi/host_functions.h"

namespace patchbay::core {

template <class Hook, size_t I, class Member>
struct Interposed;
template <class Hook, size_t I, class T, class R, class... A>
struct Interposed<Hook, I, R (*T::*)(void*, A...) noexcept> {
  static R call(void* host, A... arguments) noexcept { return Hook::template call<T, I>(host, arguments...); }
};

// Functions that do not take the host stay as they are.
template <class Hook, class T>
constexpr T interposed(T table) {
  for_each_function<T>([&]<size_t I>() {
    constexpr auto row = host_function<T, I>();
    using Member = std::remove_cv_t<decltype(row.member)>;
    if constexpr (TakesHost<Member>::value) {
      if constexpr (Hook::template wants<T, I>()) table.*row.member = &Interposed<Hook, I, Member>::call;
    }
  });
  return table;
}

}  // namespace patchbay::core
