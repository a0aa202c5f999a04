// InboundDialog: a call that a peer makes to us: from its INVITE through ringing to our answer, a refusal or
// the peer's CANCEL. sip thread only.
#pragma once

#include <string>

#include "dialogs/dialog.h"
#include "dialogs/dialog_route.h"

namespace patchbay::sip_trunk {

class InboundDialog final : public Dialog {
 public:
  // `handle` is sofia-sip's for the INVITE; the dialog owns it from here on.
  InboundDialog(UserAgent& agent, DialogId id, nua_handle_t* handle, const sip_t& invite,
                lib::SocketAddress source);

  InboundDialog* inbound() noexcept override { return this; }
  const lib::SocketAddress& source() const noexcept { return source_; }
  void on_timer() override;

  // Sets whose call it is, and the receiver of its events.
  void take(CallOwner owner, DialogListener& listener);
  // Sends 180, or 183 with our SDP. Repeats it, because proxies give an INVITE up after three minutes
  // without.
  void ring(int status, const std::string& sdp);
  // Sends 200 with our SDP: the answer, or an offer if the INVITE had none; then on_reanswer() follows.
  void answer(const std::string& sdp);
  // Sends a final status from 300 on.
  void refuse(const Refusal& refusal);

 private:
  void on_invite_event(nua_event_t event, int status, const char* phrase, const sip_t* sip) override;
  void cancel() override;
  StoredDialog stored() const override;
  const TrunkAccess& trunk() const override { return owner_.trunk; }
  bool must_await_ack() const override { return !acknowledged_; }
  void on_ack(const sip_t* sip) override;

  void send_ringing();

  const lib::SocketAddress source_;
  const Transport transport_;
  const bool has_offer_;
  const SessionHeaders session_asked_;
  const DialogRoute route_;
  const lib::SocketAddress tls_contact_;  // where a new connection over TLS can be made; invalid: nowhere
  CallOwner owner_;
  std::string local_;  // From of our requests, once the ACK has named our tag
  std::string contact_;
  bool acknowledged_ = false;
  int ringing_status_ = 0;
  std::string ringing_sdp_;
  int64_t give_up_ms_ = 0;
};

// Reads what the decision about a call needs.
InboundInvite read_invite(const sip_t& invite, const lib::SocketAddress& source);

}  // namespace patchbay::sip_trunk
