// The audio ports of one child.
#pragma once

#include <memory>

#include "isolation/remote_objects.h"
#include "isolation/session_link.h"

namespace patchbay::core::isolation {

// On the plugin's main strand.
class SessionMedia {
 public:
  SessionMedia(std::shared_ptr<SessionLink> link, RemoteObjects& held)
      : link_(std::move(link)), held_(held) {}

  // A frame, and the bell that came with it, which has the ring inside. False: it is invalid.
  bool create_port(Decoder& in, Descriptor bell);

 private:
  class RemotePort;

  const std::shared_ptr<SessionLink> link_;  // shared with callbacks that may outlive the session
  RemoteObjects& held_;
};

}  // namespace patchbay::core::isolation
