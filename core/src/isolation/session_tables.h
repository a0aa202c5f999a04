// SessionTables: all that one child has in the server, by table, and the frames by which it has it.
#pragma once

#include <memory>

#include "isolation/held.h"
#include "isolation/link.h"
#include "isolation/session_bus.h"
#include "isolation/session_observe.h"
#include "isolation/session_services.h"
#include "isolation/session_store.h"

namespace patchbay::core::isolation {

// On the plugin's main strand.
class SessionTables {
 public:
  SessionTables(HostContext& context, const Host& host, InterfaceShare& interfaces);

  Link& link() noexcept { return *link_; }

  // A frame of the child, read behind its kind. False: it made no sense, and nothing came of it.
  bool take(Kind kind, Decoder& in, Descriptor fd);
  // The child has ended, and with it all of this. Once; before the destructor.
  void end();

 private:
  HostContext& context_;        // borrowed
  std::shared_ptr<Link> link_;  // shared with callbacks that may come later
  HeldThings held_;
  SessionServices services_;
  SessionStore store_;
  SessionBus bus_;
  SessionObserve observe_;
};

}  // namespace patchbay::core::isolation
