// A call of a host's function in a frame (Kind::host_call): a number, the function's number, its arguments.
// How it is answered follows from its row in host_functions.h and its signature.
#pragma once

#include <cstdint>
#include <tuple>
#include <type_traits>

#include "abi/host_functions.h"
#include "isolation/argument_wire.h"

namespace patchbay::core::isolation {

enum class CallKind : uint8_t {
  none,          // by hand, or not at all
  operation,     // part of a transaction (store/transaction_operations.h)
  close,         // closes a handle; no answer
  registration,  // returns a handle (Kind::answer) whose callback is called many times (Kind::callback)
  question,      // its callback is called once (Kind::result)
  request,       // returns a value (Kind::answer)
  notice         // returns nothing
};

constexpr char kTooLarge[] = "too large for an isolated plugin";

template <class F>
struct IsCallback : std::false_type {};
template <class... B>
struct IsCallback<void (*)(void*, B...) noexcept> : std::true_type {};
// A sink, called before the function returns: the answer's text goes there.
using Sink = void (*)(void* user, pb_str text) noexcept;
template <>
struct IsCallback<Sink> : std::false_type {};

// The place of the first argument for which Is<A> holds; their number if there is none.
template <template <class> class Is, class... A>
constexpr size_t place_of() {
  size_t place = 0;
  static_cast<void>(((Is<A>::value || (++place, false)) || ...));
  return place;
}
template <class T>
struct IsSink : std::is_same<T, Sink> {};

template <class T, size_t I>
using MemberOf = std::remove_cv_t<decltype(host_function<T, I>().member)>;

template <class Row, class R, class... A>
constexpr CallKind kind_by_signature(const Row& row) {
  constexpr bool has_callback = place_of<IsCallback, A...>() < sizeof...(A);
  if (row.crosses_by_hand) return CallKind::none;
  if (row.closes != HandleKind::none) return CallKind::close;
  if (has_callback) return row.opens != HandleKind::none ? CallKind::registration : CallKind::question;
  return std::is_void_v<R> ? CallKind::notice : CallKind::request;
}

template <class T, size_t I, class Member = MemberOf<T, I>>
struct CallKindOf {
  static constexpr CallKind value = CallKind::none;
};
template <class T, size_t I, class R, class... A>
struct CallKindOf<T, I, R (*T::*)(void*, A...) noexcept> {
  static constexpr auto row = host_function<T, I>();
  static constexpr CallKind value = kind_by_signature<decltype(row), R, A...>(row);
};
template <size_t I, class... A>
struct CallKindOf<pb_store, I, int32_t (*pb_store::*)(void*, uint64_t, A...) noexcept> {
  static constexpr CallKind value = CallKind::operation;
};

// True for tables whose functions call the server; pb_runtime and pb_json are served in the child's process.
template <class T>
constexpr bool kCrosses = !std::is_same_v<T, pb_runtime> && !std::is_same_v<T, pb_json>;

template <class T, size_t I>
constexpr CallKind call_kind_of() {
  return kCrosses<T> ? CallKindOf<T, I>::value : CallKind::none;
}

// The number of a function: the position of its table, and its own in the table. It stays as tables grow.
template <class T>
constexpr uint32_t table_number() {
  uint32_t table = 0, at = 0;
  for_each_table_type([&]<class U>() {
    ++at;
    if (std::is_same_v<T, U>) table = at;
  });
  return table << 8;
}
template <class T, size_t I>
constexpr uint32_t function_number() {
  return table_number<T>() | I;
}
// The number of a member, such as &pb_bus::publish.
template <class T, class F>
constexpr uint32_t function_number(F T::*member) {
  uint32_t number = 0;
  for_each_function<T>([&]<size_t I>() {
    if constexpr (std::is_same_v<MemberOf<T, I>, F T::*>) {
      if (host_function<T, I>().member == member) number = function_number<T, I>();
    }
  });
  return number;
}

// The arguments of a callback when the real ones cannot cross: an error in its form, and zero for all else.
class Failure {
 public:
  Failure(const Failure&) = delete;
  Failure& operator=(const Failure&) = delete;
  Failure(int32_t status, const char* text) {
    write_error(&err_, static_cast<Code>(status), text);
    outcome_.size = sizeof outcome_;
    outcome_.status = status;
    outcome_.failed_operation = -1;
    outcome_.text = to_abi(err_.text);
  }
  template <class T>
  T instead_of(T argument) {
    if constexpr (std::is_same_v<T, int32_t>) return err_.code;
    if constexpr (std::is_same_v<T, const pb_err*>) return &err_;
    // A commit that is on disk is still reported as committed; only its rows are left out.
    if constexpr (std::is_same_v<T, const pb_commit*>) {
      if (argument != nullptr) outcome_ = *argument;
      outcome_.result_count = 0;
      return &outcome_;
    }
    return T{};
  }

 private:
  pb_err err_ = empty_error();
  pb_commit outcome_{};
};

// The frame that answers a question.
template <class... B>
Encoder result_frame(uint64_t number, B... arguments) {
  Encoder out(Kind::result);
  out.u64(number);
  Arguments<B...>::put(out, arguments...);
  return out;
}
// Calls a question's callback with the arguments of such a frame, read up to its number. If they cannot be
// read, there was no memory for a copy of them, because the server's frames are complete.
template <class... B>
void call_with_result(Decoder& in, void (*fn)(void*, B...) noexcept, void* user) {
  const Arguments<B...> arguments(in);
  if (in.ok()) return arguments.call([&](B... given) { fn(user, given...); });
  Failure failure(PB_E_EXHAUSTED, "there is no memory for the answer");
  fn(user, failure.instead_of(B{})...);
}
template <class... B>
Encoder failed_frame(uint64_t number, int32_t status, const char* text, B... arguments) {
  Failure failure(status, text);
  return result_frame<B...>(number, failure.instead_of(arguments)...);
}

}  // namespace patchbay::core::isolation
