// SessionDispatcher: all objects that one child holds in the server; passes its frames to the part that
// handles them.
#pragma once

#include <memory>

#include "isolation/media/session_media.h"
#include "isolation/observe/session_observe.h"
#include "isolation/remote_objects.h"
#include "isolation/services/session_services.h"
#include "isolation/session_host_calls.h"
#include "isolation/session_link.h"
#include "isolation/store/session_store.h"

namespace patchbay::core::isolation {

// On the plugin's main strand.
class SessionDispatcher {
 public:
  SessionDispatcher(HostContext& context, const Host& host, InterfaceShare& interfaces);

  SessionLink& link() noexcept { return *link_; }

  // Handles a frame of the child, read up to its kind. False: the frame is invalid, and was ignored.
  bool take(Kind kind, Decoder& in, Descriptor fd);
  // Call once when the child has ended, before the destructor: releases all that it holds.
  void end();

 private:
  HostContext& context_;               // borrowed
  std::shared_ptr<SessionLink> link_;  // shared with callbacks that may come later
  RemoteObjects held_;
  SessionHostCalls calls_;
  SessionServices services_;
  SessionStore store_;
  SessionMedia media_;
  SessionObserve observe_;
};

}  // namespace patchbay::core::isolation
