// HostObserver: receives what plugins do with the tables of their host, where the core itself looks. A server
// has none; the fake host (core/testing) finds broken rules and records events, lines and ports with it.
#pragma once

#include <patchbay/abi.h>

#include "abi/host_function.h"

namespace patchbay::core {

class HostContext;

// [any thread, a media loop too]
class HostObserver {
 public:
  // A function that may not be called on a media loop was.
  virtual void called_on_media(HostContext& /*context*/, const char* /*function*/) noexcept {}
  // Not called for handle 0.
  virtual void opened(HostContext& /*context*/, HandleKind /*kind*/, uint64_t /*handle*/) noexcept {}
  // Before the core looks whether the plugin holds it.
  virtual void closing(HostContext& /*context*/, HandleKind /*kind*/, uint64_t /*handle*/,
                       const char* /*function*/) noexcept {}
  // The plugin was destroyed; what it still holds is released next, without a call of closing().
  virtual void destroyed(HostContext& /*context*/) noexcept {}

  // A step of the plugin's life was answered before: "stop".
  virtual void answered_twice(HostContext& /*context*/, const char* /*step*/) noexcept {}

  virtual void published(HostContext& /*context*/, const pb_event& /*event*/) noexcept {}
  virtual void logged(HostContext& /*context*/, uint32_t /*level*/, pb_str /*correlation*/, pb_str /*text*/,
                      const pb_pair* /*fields*/, uint32_t /*count*/) noexcept {}
  virtual void port_created(HostContext& /*context*/, uint64_t /*handle*/, const pb_port& /*port*/) noexcept {
  }

 protected:
  ~HostObserver() = default;
};

}  // namespace patchbay::core
