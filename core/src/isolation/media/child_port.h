// ChildPort: a port of the plugin, driven by a media loop of this process at the pace at which the server
// takes frames.
#pragma once

#include <patchbay/abi/media.h>

#include <memory>

#include "abi/port.h"
#include "isolation/media/ring.h"

namespace patchbay::core::isolation {

class ChildPort {
 public:
  ChildPort(std::unique_ptr<Ring> ring, Ref<Port> port)
      : ring_(std::move(ring)), port_(std::move(port)), last_(*this) {}

  Ring& ring() noexcept { return *ring_; }
  // For the plugin, which may join its own port.
  const Ref<Port>& port() const noexcept { return port_; }
  void begin(void* host, const pb_media& media);
  // Call once no plugin in the server has it open. Calls done(user) on the main strand once the port is no
  // longer used, and frees itself.
  void end();

  // The arguments of the call that closes the port.
  pb_fn done = nullptr;
  void* user = nullptr;

 private:
  static void tick(void* raw, const pb_tick* tick) noexcept;
  void exchange(const pb_tick& tick) noexcept;
  void leave_loop() noexcept;
  // Runs on the main strand after the last tick; a member of the port, because the media loop may not
  // allocate.
  struct Last : Task {
    explicit Last(ChildPort& port) noexcept : Task(&Last::tell), of(port) {}
    static void tell(Task& task) noexcept;
    ChildPort& of;
  };

  const std::unique_ptr<Ring> ring_;
  const Ref<Port> port_;
  Last last_;
  uint64_t attachment_ = 0;
  uint32_t joined_ = 0;  // [media]
  int16_t pcm_[kMaxSamples];
};

}  // namespace patchbay::core::isolation
