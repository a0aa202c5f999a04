// MediaSetup: offer and answer (RFC 3264) of one call. Writes our SDP, reads the peer's, and applies it
// to the audio port and to the media watch: addresses, codec, telephone events, hold.
#pragma once

#include <patchbay/result.h>

#include <mutex>
#include <string>
#include <string_view>

#include "leg_port.h"
#include "media_watch.h"
#include "read_settings.h"
#include "sdp/sdp.h"

namespace patchbay::sip_trunk {

// Any thread: the main strand negotiates the INVITE, the sip thread every re-INVITE.
class MediaSetup {
 public:
  // The port and the watch outlive this.
  MediaSetup(const ServerSettings& server, LegPort& port, MediaWatch& watch);

  // Returns the offer for an INVITE to `trunk`.
  std::string offer(const lib::SocketAddress& trunk);
  // Answers the INVITE that came from `trunk`, as answer() does a re-INVITE.
  Result<std::string> answer_invite(const lib::SocketAddress& trunk, std::string_view sdp);
  // Applies the answer to an offer. Error: it has no usable media.
  Status apply_answer(std::string_view sdp);
  // Answers a re-INVITE and applies its offer; for an empty one returns an offer of ours. Error: it has no
  // usable media.
  Result<std::string> answer(std::string_view sdp);

  // Sets the address that the answer came from, which the peer may also send media from. Call it before
  // apply_answer().
  void set_signalling_ip(const std::string& ip);

 private:
  lib::SocketAddress announced_address(const lib::SocketAddress& trunk) const;
  Status apply(const lib::RemoteMedia& remote);

  // borrowed
  LegPort& port_;
  MediaWatch& watch_;
  // owned
  const std::string advertise_;
  const std::string media_ip_;
  // state
  std::mutex mutex_;  // guards the next two
  lib::LocalMedia local_;
  std::string signalling_ip_;
};

}  // namespace patchbay::sip_trunk
