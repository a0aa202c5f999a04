// A port of the child as the server offers it: pull and push touch the shared ring and nothing else.
#pragma once

#include <patchbay/host.h>

#include <memory>

#include "isolation/media/ring.h"

namespace patchbay::core::isolation {

// Lives until its port is closed and no plugin has it open.
class SharedPort {
 public:
  SharedPort(std::unique_ptr<Ring> ring, uint32_t pull_rate_hz, uint32_t push_rate_hz);
  SharedPort(const SharedPort&) = delete;
  SharedPort& operator=(const SharedPort&) = delete;

  // Creates the port and returns its handle.
  uint64_t open(const Host& host) { return host.media->port_create(host.self, &table_, this); }

 private:
  static SharedPort& of(void* self) noexcept { return *static_cast<SharedPort*>(self); }
  static void attached(void* self, uint32_t loop) noexcept;
  static void pull(void* self, pb_frame* out) noexcept;
  static void push(void* self, const pb_frame* in) noexcept;
  static void detached(void* self) noexcept;

  const std::unique_ptr<Ring> ring_;
  const pb_port table_;
};

}  // namespace patchbay::core::isolation
