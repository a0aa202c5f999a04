// Symmetric RTP (RFC 4961): decides which address media is accepted from and sent to, by latching (RFC 7362).
// Protects a leg against RTP bleed and injection. One thread, no allocation.
#pragma once

#include "rtp/address.h"

namespace patchbay::lib {

// Expects the peer at the address in its SDP. A peer behind NAT sends from elsewhere, so the leg latches onto
// the sender of the first packet from the SDP's host on another port, or from the signalling host if that is
// allowed. From then on every other sender is refused, except the SDP's address, which still replaces such a
// guess.
class SymmetricRtp {
 public:
  // Sets the remote address (answer, re-INVITE). If `signalling` is invalid, only the SDP's host may send.
  // The same remote again keeps the latched address.
  void set_remote(const SocketAddress& rtp, const SocketAddress& signalling) noexcept {
    if (rtp == expected_ && signalling.same_ip(signalling_)) return;
    expected_ = rtp;
    signalling_ = signalling;
    latched_ = SocketAddress{};
  }

  // Returns whether accept_media() would accept a packet from `sender`, without latching.
  bool would_accept(const SocketAddress& sender) const noexcept {
    if (!expected_.valid()) return false;
    if (sender == latched_ || sender == expected_) return true;
    return !latched_.valid() && (sender.same_ip(expected_) || sender.same_ip(signalling_));
  }

  // Returns whether to accept a media packet from `sender`, and then latches onto it.
  bool accept_media(const SocketAddress& sender) noexcept {
    if (!would_accept(sender)) return false;
    latched_ = sender;
    return true;
  }

  // Returns whether to accept RTCP: only from the host that media comes from. Never latches.
  bool accept_rtcp(const SocketAddress& sender) const noexcept { return sender.same_ip(destination()); }

  // Where to send media; invalid: nowhere, because the SDP names no address (0.0.0.0, a hold).
  SocketAddress destination() const noexcept {
    if (latched_.valid()) return latched_;
    return expected_.is_unspecified() ? SocketAddress{} : expected_;
  }

 private:
  SocketAddress expected_;
  SocketAddress signalling_;
  SocketAddress latched_;
};

}  // namespace patchbay::lib
