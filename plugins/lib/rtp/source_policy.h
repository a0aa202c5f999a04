// Whose packets a leg accepts: the answer to RTP bleed and injection. One thread, no allocation.
#pragma once

#include "rtp/address.h"

namespace patchbay::lib {

// The peer is where its SDP says. A peer behind NAT sends from elsewhere: the first packet from the SDP's
// host on another port, or from the host that signals for it (if allowed), binds the leg to that source,
// once. From then on every other source is refused, save the one the SDP names, which may still replace a
// guess.
class SourcePolicy {
 public:
  // A new remote (answer, re-INVITE). `signalling` without a value: only the SDP's host may send. The same
  // remote again keeps what was learnt.
  void set_remote(const SocketAddress& rtp, const SocketAddress& signalling) noexcept {
    if (rtp == expected_ && signalling.same_ip(signalling_)) return;
    expected_ = rtp;
    signalling_ = signalling;
    bound_ = SocketAddress{};
  }

  // Whether a media packet from `source` counts. Binds.
  bool accept_media(const SocketAddress& source) noexcept {
    if (!expected_.valid()) return false;
    if (source == bound_) return true;
    if (source == expected_) {
      bound_ = source;
      return true;
    }
    if (bound_.valid() || !(source.same_ip(expected_) || source.same_ip(signalling_))) return false;
    bound_ = source;
    return true;
  }

  // RTCP binds nothing; it counts when it comes from the host media comes from.
  bool accept_control(const SocketAddress& source) const noexcept { return source.same_ip(destination()); }

  // Where to send media.
  const SocketAddress& destination() const noexcept { return bound_.valid() ? bound_ : expected_; }

 private:
  SocketAddress expected_;
  SocketAddress signalling_;
  SocketAddress bound_;
};

}  // namespace patchbay::lib
