// The transactions of one child, which come whole or operation by operation.
#pragma once

#include <map>
#include <memory>

#include "isolation/session_host_calls.h"

namespace patchbay::core::isolation {

// On the plugin's main strand.
class SessionStore {
 public:
  SessionStore(std::shared_ptr<SessionLink> link, SessionHostCalls& calls)
      : link_(std::move(link)), calls_(calls) {}

  // Frames; each is false when the frame is invalid.
  bool share(Decoder& in);
  bool add(Decoder& in);
  bool discard(Decoder& in);
  bool commit(Decoder& in);

  // Call when the child has ended: discards what it did not commit.
  void end();

 private:
  // Adds the operations in the frame to an open transaction, as far as there is room.
  bool add_to(uint64_t tx, Decoder& in);
  void forget(uint64_t tx);
  void forget_ended();
  // The server's handle of a transaction that the child names; 0: the child may not name it.
  uint64_t known(uint64_t tx) const;

  // shared with callbacks that may outlive the session
  const std::shared_ptr<SessionLink> link_;
  // borrowed
  SessionHostCalls& calls_;
  // state
  std::map<uint64_t, size_t> open_bytes_;  // of operations of the child, by the server's transaction
  size_t all_open_bytes_ = 0;
};

}  // namespace patchbay::core::isolation
