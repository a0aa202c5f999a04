// Sees each request before sofia-sip matches it to a dialog: one that claims to belong to a dialog and comes
// from an address that is not its peer's must not touch that dialog, not even its sequence of requests.
#pragma once

#include <string_view>

#include "rtp/address.h"
#include "sofia.h"

namespace patchbay::sip_trunk {

// Who may send requests inside the dialogs of an agent.
class DialogPeers {
 public:
  // Whether a dialog has this Call-ID and `from` is no address of its peer.
  virtual bool is_intruder(std::string_view call_id, const lib::SocketAddress& from) const = 0;

 protected:
  ~DialogPeers() = default;
};

// The parser for NTATAG_MCLASS: sofia-sip's own, which in addition replaces the To tag of an intruder's
// request, so that it matches no dialog and is answered 481. Null when memory is short.
const msg_mclass_t* screening_parser();

// Names the peers for the messages that the calling thread parses; null for none.
void screen_with(const DialogPeers* peers) noexcept;

// Where a message came from; invalid when it did not come from the network.
lib::SocketAddress source_of(msg_t* message);

}  // namespace patchbay::sip_trunk
