// OffMedia: a function of a table that may not be called on a media loop, where it would allocate or wait. A
// plugin that does is named in the log; the call goes on, for a refusal would leave its answer ungiven.
#pragma once

#include <cstddef>

#include "abi/host_context.h"
#include "runtime/thread_kind.h"

namespace patchbay::core {

template <size_t N>
struct FunctionName {
  constexpr FunctionName(const char (&from)[N]) {  // NOLINT(google-explicit-constructor)
    for (size_t i = 0; i < N; ++i) text[i] = from[i];
  }
  char text[N];
};

template <auto Function, FunctionName Name>
struct OffMedia;

template <class R, class... A, R (*Function)(void*, A...) noexcept, FunctionName Name>
struct OffMedia<Function, Name> {
  static R call(void* host, A... arguments) noexcept {
    if (thread_kind() == ThreadKind::media)
      HostContext::of(host).misused("a function was called on a media loop", Name.text);
    return Function(host, arguments...);
  }
};

#define PB_OFF_MEDIA(function) (&OffMedia<&(function), #function>::call)

}  // namespace patchbay::core
