// Wrappers for the functions of a table: each does one check and calls the core's own.
//
//   table.publish = Checked<"publish", &core::bus_table, &pb_bus::publish>::call;
#pragma once

#include <cstddef>
#include <cstdint>

#include "watched_host.h"

namespace patchbay::fake {

template <size_t N>
struct Name {
  constexpr Name(const char (&from)[N]) {  // NOLINT(google-explicit-constructor)
    for (size_t i = 0; i < N; ++i) text[i] = from[i];
  }
  char text[N]{};
};

inline WatchedHost* watched(void* host) noexcept {
  core::HostContext& context = core::HostContext::of(host);
  return World::of(context).host_of(context);
}

// May not be called on a media loop.
template <Name name, auto table, auto member>
struct Checked;
template <Name name, auto table, class T, class R, class... A, R (*T::*member)(void*, A...) noexcept>
struct Checked<name, table, member> {
  static R call(void* host, A... arguments) noexcept {
    watched(host)->off_media(name.text);
    return (table().*member)(host, arguments...);
  }
};

// Besides, it returns a handle that is to be closed.
template <Held kind, Name name, auto table, auto member>
struct Opens;
template <Held kind, Name name, auto table, class T, class... A, uint64_t (*T::*member)(void*, A...) noexcept>
struct Opens<kind, name, table, member> {
  static uint64_t call(void* host, A... arguments) noexcept {
    WatchedHost* watcher = watched(host);
    watcher->off_media(name.text);
    const uint64_t handle = (table().*member)(host, arguments...);
    watcher->opened(kind, handle);
    return handle;
  }
};

// Closes the handle that is its first argument. `media`: a media loop may do so.
template <Held kind, Name name, auto table, auto member, bool media = false>
struct Closes;
template <Held kind, Name name, auto table, class T, class... A,
          void (*T::*member)(void*, uint64_t, A...) noexcept, bool media>
struct Closes<kind, name, table, member, media> {
  static void call(void* host, uint64_t handle, A... arguments) noexcept {
    WatchedHost* watcher = watched(host);
    if (!media) watcher->off_media(name.text);
    watcher->closed(kind, handle, name.text);
    (table().*member)(host, handle, arguments...);
  }
};

}  // namespace patchbay::fake
