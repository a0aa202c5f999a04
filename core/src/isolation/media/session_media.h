// The media table of one child, as it uses it: its audio ports.
#pragma once

#include <memory>

#include "isolation/held.h"
#include "isolation/link.h"

namespace patchbay::core::isolation {

// On the plugin's main strand.
class SessionMedia {
 public:
  SessionMedia(std::shared_ptr<Link> link, HeldThings& held) : link_(std::move(link)), held_(held) {}

  // A frame, and the ring that came with it. False: it made no sense.
  bool create_port(Decoder& in, Descriptor ring);

 private:
  class HeldPort;

  const std::shared_ptr<Link> link_;  // shared with callbacks that may outlive the session
  HeldThings& held_;
};

}  // namespace patchbay::core::isolation
