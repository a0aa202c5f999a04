// Sees each message before sofia-sip does more than parse it. A request that claims to belong to a dialog and
// comes from an address that is not its peer's must not touch that dialog, not even its sequence of requests.
// Requests without a dialog must not fill the memory, since sofia-sip keeps each for 32 s. And nothing in a
// message makes sofia-sip resolve a name, which stops all SIP, or send to a third party.
#pragma once

#include <cstdint>
#include <string_view>

#include "rtp/address.h"
#include "sofia.h"

namespace patchbay::sip_trunk {

enum class Admission {
  granted,
  outside,  // belongs to no dialog, whatever it says
  refused,  // answered with an error, and not kept
};

// Who may send requests inside the dialogs of an agent, how many come in from outside, and which answers are
// waited for.
class RequestGuard {
 public:
  virtual Admission admit(std::string_view call_id, const lib::SocketAddress& from) = 0;
  // Whether it is a 2xx to an INVITE that no dialog waits for (any more), and names no address to send to.
  virtual bool is_stray(const sip_t& answer) const = 0;

 protected:
  ~RequestGuard() = default;
};

// Counts events by the second.
class RateLimit {
 public:
  explicit RateLimit(uint32_t per_second) noexcept : per_second_(per_second) {}
  // False when there were as many already in this second.
  bool take(int64_t now_ms) noexcept {
    if (now_ms / 1000 != second_) second_ = now_ms / 1000, taken_ = 0;
    return ++taken_ <= per_second_;
  }

 private:
  const uint32_t per_second_;
  int64_t second_ = 0;
  uint32_t taken_ = 0;
};

// The parser for NTATAG_MCLASS: sofia-sip's own, which in addition asks the thread's guard about each
// message. The To tag of a request from outside is replaced, so that it matches no dialog and is answered
// 481; a refused one is answered 400 without a transaction. Answers go to where the request came from,
// whatever its first Via names. A stray answer is made to name the address that it came from, where
// sofia-sip then sends its ACK and BYE. Null when memory is short.
const msg_mclass_t* screening_parser();

// Names the guard of the messages that the calling thread parses; null for none.
void screen_with(RequestGuard* guard) noexcept;

// Where a message came from; invalid when it did not come from the network.
lib::SocketAddress source_of(const msg_t* message);

}  // namespace patchbay::sip_trunk
