// The bus and media tables of one child, as it uses them: events both ways, and its audio ports.
#pragma once

#include <memory>

#include "isolation/held.h"
#include "isolation/link.h"

namespace patchbay::core::isolation {

// On the plugin's main strand.
class SessionBus {
 public:
  SessionBus(std::shared_ptr<Link> link, HeldThings& held) : link_(std::move(link)), held_(held) {}

  // Frames; each is false when the frame made no sense.
  bool subscribe(Decoder& in);
  bool publish(Decoder& in);
  bool create_port(Decoder& in, Descriptor ring);

 private:
  class Subscribed;
  class HeldPort;

  const std::shared_ptr<Link> link_;  // shared with callbacks that may outlive the session
  HeldThings& held_;
};

}  // namespace patchbay::core::isolation
