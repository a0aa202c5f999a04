// Result<T>: a value or an error. Faults of peers, files and configuration are returned as a Result;
// assertions are for bugs. C++17, no exceptions, no RTTI.
#pragma once

#include <cassert>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace patchbay {

// The codes that cross the plugin boundary; values are those of PB_E_* in abi/base.h.
enum class Code : int32_t {
  ok = 0,
  failed = -1,   // none of the others; see the text
  invalid = -2,  // the input is wrong; the text names the field
  not_found = -3,
  conflict = -4,     // an expectation was not met, or the thing exists already
  unavailable = -5,  // temporarily; a later retry may succeed
  timeout = -6,
  cancelled = -7,
  denied = -8,
  exhausted = -9,  // a limit or a budget is used up
  fenced = -10,    // this node no longer owns what it tried to change
  misuse = -11,    // the caller broke the contract (wrong thread, closed handle)
  unsupported = -12,
  gone = -13,  // the other side was closed or withdrawn
};

const char* code_name(Code code) noexcept;

struct Error {
  Code code = Code::failed;
  std::string text;  // one readable sentence; never contains a secret

  // Prepends context: "outer: text".
  Error within(const std::string& outer) && { return {code, outer + ": " + text}; }
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value)
      : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT(google-explicit-constructor)
  Result(Error error)
      : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)
  Result(Code code, std::string text) : Result(Error{code, std::move(text)}) {}

  bool ok() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }

  T& value() & noexcept {
    assert(ok());
    return *std::get_if<0>(&state_);
  }
  const T& value() const& noexcept {
    assert(ok());
    return *std::get_if<0>(&state_);
  }
  T&& value() && noexcept {
    assert(ok());
    return std::move(*std::get_if<0>(&state_));
  }
  T value_or(T fallback) && { return ok() ? std::move(*std::get_if<0>(&state_)) : std::move(fallback); }
  T& operator*() & noexcept { return value(); }
  const T& operator*() const& noexcept { return value(); }
  T&& operator*() && noexcept { return std::move(*this).value(); }
  T* operator->() noexcept { return &value(); }
  const T* operator->() const noexcept { return &value(); }

  const Error& error() const& noexcept {
    assert(!ok());
    return *std::get_if<1>(&state_);
  }
  Error&& error() && noexcept {
    assert(!ok());
    return std::move(*std::get_if<1>(&state_));
  }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)), failed_(true) {}  // NOLINT(google-explicit-constructor)
  Result(Code code, std::string text) : Result(Error{code, std::move(text)}) {}

  bool ok() const noexcept { return !failed_; }
  explicit operator bool() const noexcept { return ok(); }
  const Error& error() const& noexcept {
    assert(failed_);
    return error_;
  }
  Error&& error() && noexcept {
    assert(failed_);
    return std::move(error_);
  }

 private:
  Error error_{Code::ok, {}};
  bool failed_ = false;
};

using Status = Result<void>;

// NOLINTBEGIN(readability-function-size)
inline const char* code_name(Code code) noexcept {
  switch (code) {
    case Code::ok:
      return "ok";
    case Code::failed:
      return "failed";
    case Code::invalid:
      return "invalid";
    case Code::not_found:
      return "not_found";
    case Code::conflict:
      return "conflict";
    case Code::unavailable:
      return "unavailable";
    case Code::timeout:
      return "timeout";
    case Code::cancelled:
      return "cancelled";
    case Code::denied:
      return "denied";
    case Code::exhausted:
      return "exhausted";
    case Code::fenced:
      return "fenced";
    case Code::misuse:
      return "misuse";
    case Code::unsupported:
      return "unsupported";
    case Code::gone:
      return "gone";
  }
  return "unknown";
}
// NOLINTEND(readability-function-size)

}  // namespace patchbay

// PB_TRY(status): returns its error from the enclosing function.
// PB_TRY_VALUE(auto x, result): the value, or returns its error.
#define PB_TRY(expression)                                                              \
  do {                                                                                  \
    if (auto pb_status = (expression); !pb_status) return std::move(pb_status).error(); \
  } while (false)
#define PB_CONCAT_INNER(a, b) a##b
#define PB_CONCAT(a, b) PB_CONCAT_INNER(a, b)
#define PB_TRY_VALUE(declaration, expression)                                                      \
  auto PB_CONCAT(pb_result_, __LINE__) = (expression);                                             \
  if (!PB_CONCAT(pb_result_, __LINE__)) return std::move(PB_CONCAT(pb_result_, __LINE__)).error(); \
  declaration = *std::move(PB_CONCAT(pb_result_, __LINE__))
