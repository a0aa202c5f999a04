// The audio ports of one child.
#pragma once

#include <memory>

#include "isolation/held.h"
#include "isolation/link.h"

namespace patchbay::core::isolation {

// On the plugin's main strand.
class SessionMedia {
 public:
  SessionMedia(std::shared_ptr<Link> link, HeldHandles& held) : link_(std::move(link)), held_(held) {}

  // A frame, and the ring that came with it. False: it made no sense.
  bool create_port(Decoder& in, Descriptor ring);

 private:
  class HeldPort;

  const std::shared_ptr<Link> link_;  // shared with callbacks that may outlive the session
  HeldHandles& held_;
};

}  // namespace patchbay::core::isolation
