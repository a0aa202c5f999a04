// Decides from which source addresses a leg accepts packets, against RTP bleed and injection. One thread, no
// allocation.
#pragma once

#include "rtp/address.h"

namespace patchbay::lib {

// Expects the peer at the address in its SDP. A peer behind NAT sends from elsewhere, so the first packet
// from the SDP's host on another port, or from the signalling host if that is allowed, binds the leg to its
// source. From then on every other source is refused, except the SDP's address, which still replaces such a
// guess.
class SourcePolicy {
 public:
  // Sets the remote address (answer, re-INVITE). If `signalling` is invalid, only the SDP's host may send.
  // The same remote again keeps the bound source.
  void set_remote(const SocketAddress& rtp, const SocketAddress& signalling) noexcept {
    if (rtp == expected_ && signalling.same_ip(signalling_)) return;
    expected_ = rtp;
    signalling_ = signalling;
    bound_ = SocketAddress{};
  }

  // Returns whether to accept a media packet from `source`. May bind the leg to it.
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

  // Returns whether to accept RTCP: only from the host that media comes from. Never binds.
  bool accept_control(const SocketAddress& source) const noexcept { return source.same_ip(destination()); }

  // Where to send media.
  const SocketAddress& destination() const noexcept { return bound_.valid() ? bound_ : expected_; }

 private:
  SocketAddress expected_;
  SocketAddress signalling_;
  SocketAddress bound_;
};

}  // namespace patchbay::lib
