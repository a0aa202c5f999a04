// SessionTables: all that one child has in the server, and the frames by which it has it.
#pragma once

#include <memory>

#include "isolation/held.h"
#include "isolation/link.h"
#include "isolation/media/session_media.h"
#include "isolation/observe/session_observe.h"
#include "isolation/services/session_services.h"
#include "isolation/session_calls.h"
#include "isolation/store/session_store.h"

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
  HeldHandles held_;
  SessionCalls calls_;
  SessionServices services_;
  SessionStore store_;
  SessionMedia media_;
  SessionObserve observe_;
};

}  // namespace patchbay::core::isolation
