// close_handle(): closes a handle of a plugin by its kind.
#pragma once

#include <patchbay/host.h>

#include "abi/host_functions.h"

namespace patchbay::core {

// Calls the function whose row says that it closes handles of that kind, with `done` and `user`; if it does
// not take them, calls done(user) afterwards. Closes transactions by discard(), because commit(), which
// closes them too, has other arguments.
void close_handle(const HostTablePointers& tables, void* host, HandleKind kind, uint64_t handle, pb_fn done,
                  void* user);

inline HostTablePointers tables_of(const Host& host) {
  return {host.runtime, host.observe, host.json, host.bus, host.store, host.services, host.media};
}

}  // namespace patchbay::core
