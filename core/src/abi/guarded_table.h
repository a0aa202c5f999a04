// guarded(): a table as plugins get it, made of its functions by their rows (host_functions.h). It logs a
// warning with the plugin's name when a function that may allocate or wait is called on a media loop, and
// reports to the host's observer what the plugin opens and closes.
//
//   constexpr pb_bus kFunctions{sizeof(pb_bus), 0, &publish, &subscribe, &unsubscribe};
//   constexpr pb_bus kTable = guarded<kFunctions>();
#pragma once

#include <tuple>
#include <type_traits>

#include "abi/host_context.h"
#include "abi/interposer.h"
#include "runtime/thread_kind.h"

namespace patchbay::core {

constexpr uint64_t handle_number(uint64_t handle) noexcept { return handle; }
inline uint64_t handle_number(const pb_json_doc* doc) noexcept { return reinterpret_cast<uintptr_t>(doc); }

// The handle that a call opened: its result, or the document that it stored in its pb_json_doc** argument.
template <class... A>
uint64_t opened_by(uint64_t result, const A&...) noexcept {
  return result;
}
template <class... A>
uint64_t opened_by(int32_t status, const A&... arguments) noexcept {
  pb_json_doc* doc = nullptr;
  const auto look = [&](const auto& argument) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(argument)>, pb_json_doc**>) doc = *argument;
  };
  if (status == PB_OK) (look(arguments), ...);
  return handle_number(doc);
}

// The Hook of guarded().
template <const auto& functions>
struct Guard {
  template <class T, size_t I>
  static constexpr bool wants() {
    constexpr auto row = host_function<T, I>();
    return row.on_media == OnMedia::reported || row.opens != HandleKind::none ||
           row.closes != HandleKind::none;
  }

  template <class T, size_t I, class... A>
  static auto call(void* host, A... arguments) noexcept {
    constexpr auto row = host_function<T, I>();
    HostContext& context = HostContext::of(host);
    if constexpr (row.on_media == OnMedia::reported) {
      if (thread_kind() == ThreadKind::media) context.called_on_media(row.name);
    }
    if constexpr (row.closes != HandleKind::none) {
      const auto& first = std::get<0>(std::forward_as_tuple(arguments...));
      context.closing(row.closes, handle_number(first), row.name);
    }
    if constexpr (row.opens != HandleKind::none) {
      const auto result = (functions.*row.member)(host, arguments...);
      context.opened(row.opens, opened_by(result, arguments...));
      return result;
    } else {
      return (functions.*row.member)(host, arguments...);
    }
  }
};

template <const auto& functions>
constexpr auto guarded() {
  return interposed<Guard<functions>>(functions);
}

}  // namespace patchbay::core
