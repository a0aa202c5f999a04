// A port of the child as the core's side offers it: pull and push touch the shared ring and nothing else.
#pragma once

#include <patchbay/host.h>

#include <memory>

#include "ring.h"

namespace patchbay::isolated {

class ProxyPort {
 public:
  ProxyPort(const Host& host, std::unique_ptr<Ring> ring, uint32_t pull_rate_hz, uint32_t push_rate_hz);
  ProxyPort(const ProxyPort&) = delete;
  ProxyPort& operator=(const ProxyPort&) = delete;

  uint64_t handle() const noexcept { return handle_; }
  // done() on the main strand when nobody has it open: then it may be destroyed.
  void close(Function<void()> done);

 private:
  static ProxyPort& of(void* self) noexcept { return *static_cast<ProxyPort*>(self); }
  static void attached(void* self, uint32_t loop) noexcept;
  static void pull(void* self, pb_frame* out) noexcept;
  static void push(void* self, const pb_frame* in) noexcept;
  static void detached(void* self) noexcept;

  // borrowed
  const Host& host_;
  // owned
  const std::unique_ptr<Ring> ring_;
  const pb_port table_;
  uint64_t handle_ = 0;
};

}  // namespace patchbay::isolated
