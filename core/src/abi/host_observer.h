// HostObserver: is called by the tables when plugins use them. A server has none; the fake host
// (core/testing) uses one to find broken rules and to record events, log lines and ports.
#pragma once

#include <patchbay/abi.h>

#include "abi/host_function_row.h"

namespace patchbay::core {

class HostContext;

// [any thread, a media loop too]
class HostObserver {
 public:
  // A function was called on a media loop that may not be called there.
  virtual void called_on_media(HostContext& /*context*/, const char* /*function*/) noexcept {}
  // Not called for handle 0.
  virtual void opened(HostContext& /*context*/, HandleKind /*kind*/, uint64_t /*handle*/) noexcept {}
  // Called before the core checks that the plugin holds the handle.
  virtual void closing(HostContext& /*context*/, HandleKind /*kind*/, uint64_t /*handle*/,
                       const char* /*function*/) noexcept {}
  // The plugin was destroyed; what it still holds is released next, without a call of closing().
  virtual void destroyed(HostContext& /*context*/) noexcept {}

  // The plugin answered a step of its life a second time; `step` is its name, such as "stop".
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
