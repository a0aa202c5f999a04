// The bus table of one child, as it uses it: events both ways.
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

 private:
  const std::shared_ptr<Link> link_;  // shared with callbacks that may outlive the session
  HeldThings& held_;
};

}  // namespace patchbay::core::isolation
