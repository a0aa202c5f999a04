// guard(): turns exceptions of a plugin's code into a status. The only catch of the C++ layer.
#pragma once

#include "str.h"

#if defined(__cpp_exceptions) || defined(__EXCEPTIONS)
#include <exception>
#define PB_EXCEPTIONS 1
#else
#define PB_EXCEPTIONS 0
#endif

namespace patchbay {

// Runs f() -> int32_t and returns its result, or an error when it throws.
template <class F>
int32_t guard(pb_err* err, F&& f) noexcept {
#if PB_EXCEPTIONS
  try {
    return f();
  } catch (const std::exception& thrown) {
    return write_error(err, Code::failed, thrown.what());
  } catch (...) {
    return write_error(err, Code::failed, "an exception that is not a std::exception");
  }
#else
  (void)err;
  return f();
#endif
}

// Runs f() -> void; when it throws, calls report(text).
template <class F, class Report>
void guard_void(F&& f, Report&& report) noexcept {
  pb_err err = empty_error();
  const int32_t status = guard(&err, [&] {
    f();
    return PB_OK;
  });
  if (status != PB_OK) {
    guard(nullptr, [&] {
      report(static_cast<const char*>(err.text));
      return PB_OK;
    });
  }
}

}  // namespace patchbay
