// ChildPort: the plugin's port, driven by a media loop of this process, at the pace at which the parent takes
// frames.
#pragma once

#include <patchbay/abi/media.h>

#include <memory>

#include "isolation/ring.h"

namespace patchbay::core::isolation {

class ChildPort {
 public:
  // Frames made before the parent asks for them: it never finds the ring empty because of a late tick here.
  static constexpr uint32_t kAhead = 2;

  ChildPort(std::unique_ptr<Ring> ring, const pb_port* port, void* self)
      : ring_(std::move(ring)), port_(port), self_(self) {}

  Ring& ring() noexcept { return *ring_; }
  const pb_port* table() const noexcept { return port_; }
  void* self() const noexcept { return self_; }
  void begin(void* host, const pb_media& media);
  // done(user) on the main strand once the port is no longer touched.
  void end(void* host, const pb_media& media);

  // Of who closes it.
  pb_fn done = nullptr;
  void* user = nullptr;
  // Of the host, under its lock.
  int openings = 0;     // by the plugin itself
  bool closed = false;  // and nobody in the server has it open

 private:
  static void tick(void* self, const pb_tick* tick) noexcept;
  void exchange(const pb_tick& tick) noexcept;

  const std::unique_ptr<Ring> ring_;
  const pb_port* const port_;  // borrowed from the plugin, as self_
  void* const self_;
  uint64_t attachment_ = 0;
  uint32_t joined_ = 0;  // [media]
  int16_t pcm_[kMostSamples];
};

}  // namespace patchbay::core::isolation
