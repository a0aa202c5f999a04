// Screens each message after sofia-sip has parsed it and before it acts on it. A request inside a dialog from
// another address than the peer's must not touch that dialog, not even its CSeq. Requests outside of dialogs
// must not fill the memory, because sofia-sip keeps each for 32 s. No message may make sofia-sip resolve a
// name, which blocks all SIP, or send to a third party.
#pragma once

#include <cstdint>
#include <string_view>

#include "dialogs/session_timer.h"
#include "rtp/address.h"
#include "stack/sofia.h"
#include "stack/transport.h"

namespace patchbay::sip_trunk {

enum class Admission {
  granted,
  out_of_dialog,  // treated as outside of all dialogs, whatever its headers say
  refused,        // answered with an error and not kept
  handled,        // answered already, or not at all, and not kept
};

// Decides which requests may enter a user agent's dialogs, how many are allowed outside of dialogs, and which
// answers are expected.
class RequestGuard {
 public:
  // `request` has a Call-ID and a To. `is_datagram`: it came over UDP, so its source may be forged.
  virtual Admission admit(const sip_t& request, const lib::SocketAddress& from, bool is_datagram) = 0;
  // Returns whether the answer is a 2xx to an INVITE that no dialog waits for, and names no numeric address
  // to send to.
  virtual bool is_stray(const sip_t& answer) const = 0;
  // Each answer that came over UDP.
  virtual void on_answer(const sip_t& answer, const lib::SocketAddress& from) = 0;

 protected:
  ~RequestGuard() = default;
};

// Limits events per second.
class PerSecondLimit {
 public:
  explicit PerSecondLimit(uint32_t per_second) noexcept : per_second_(per_second) {}
  // Counts one event. Returns false beyond the limit of this second.
  bool take(int64_t now_ms) noexcept {
    if (now_ms / 1000 != second_) second_ = now_ms / 1000, taken_ = 0;
    return ++taken_ <= per_second_;
  }

 private:
  const uint32_t per_second_;
  int64_t second_ = 0;
  uint32_t taken_ = 0;
};

// The parser for NTATAG_MCLASS: sofia-sip's parser, which also asks the thread's guard about each message.
// Replaces the To tag of an out-of-dialog request, so that it matches no dialog and gets 481; answers a
// refused one with 400 without a transaction. Answers go to the source of the request, whatever its first Via
// names. Makes a stray answer name its source address, to which sofia-sip then sends ACK and BYE. Null: out
// of memory.
const msg_mclass_t* screening_parser();

// The status of a response as it was received. For refusals of REFER that would end the whole dialog by RFC
// 5057, such as 404 from a far end that does not know the number, sofia-sip sees 400 instead, with the phrase
// "404 Not Found".
int received_status(const sip_t& response);

// Session-Expires and Min-SE of a message that a dialog gets. Sofia-sip does not see them, because its
// session timer refreshes with the SDP of an earlier INVITE, past the Dialog.
SessionHeaders read_session(const msg_t* message);

// Sets the guard of the messages that the calling thread parses; null: none.
void set_request_guard(RequestGuard* guard) noexcept;

// Returns the transport that the first Via of a message names.
Transport transport_of_via(const sip_t& message);

// Returns the source of a message; invalid if it did not come from the network.
lib::SocketAddress source_of(const msg_t* message);

}  // namespace patchbay::sip_trunk
