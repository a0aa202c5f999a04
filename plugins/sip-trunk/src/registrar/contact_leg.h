// ContactLeg: a call to one telephone that has registered: one INVITE to the address that it registered from,
// then the audio. Lives on the main strand; the sip thread calls the DialogListener functions.
#pragma once

#include <patchbay/end_watch.h>
#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/services/telephony.h>

#include <string>

#include "legs/leg_control.h"
#include "legs/leg_media.h"
#include "read_settings.h"
#include "registrar/bindings.h"
#include "stack/sip_stack.h"

namespace patchbay::sip_trunk {

// Destroy it only after on_closed().
class ContactLeg final : public DialogListener {
 public:
  struct Target {
    std::string uri;
    lib::SocketAddress address;
    Transport transport = Transport::udp;
  };
  // Calls on_closed(unreachable) last, on the main strand; `unreachable`: nothing answers at the address.
  // `access`: the rules of media and encryption of telephones.
  ContactLeg(const Host& host, SipStack& stack, const ServerSettings& server, TrunkAccess access,
             Target target, telephony::RingContact request, Handle caller,
             Function<void(bool unreachable)> on_closed);

  // Also calls f(ended) on the main strand when the call has ended.
  void on_ended_for_metrics(Function<void(const telephony::Ended&)> f) { metrics_ = std::move(f); }
  Handle handle() { return service_.handle(); }
  void start();
  void hangup(const std::string& cancel_reason = {});

 private:
  void on_owner_ended();
  void on_dialog_answered(const std::string& sdp, const std::string& peer_ip);
  void on_dialog_ended(const DialogEnd& ended);
  void close(telephony::Ended ended);

  // sip thread
  void on_progress(DialogId id, int status, std::string_view sdp, std::string_view peer_ip) override;
  void on_answered(DialogId id, std::string_view sdp, std::string_view peer_ip) override;
  std::string on_reoffer(DialogId id, std::string_view sdp) override;
  void on_reanswer(DialogId id, std::string_view sdp) override;
  void on_info_digit(DialogId id, char digit) override;
  void on_reoffer_answered(DialogId id, int status, std::string_view sdp) override;
  void on_ended(DialogId id, const DialogEnd& ended) override;

  // borrowed
  const Host& host_;
  SipStack& stack_;
  // owned
  const ServerSettings server_;
  const TrunkAccess access_;
  const Target target_;
  const telephony::RingContact request_;
  const Log log_;
  Function<void(bool)> on_closed_;
  Function<void(const telephony::Ended&)> metrics_;
  Provision<telephony::Leg> service_;
  Lease<telephony::LegListener> listener_;
  LegMedia media_;
  LegControl control_;
  EndWatch listener_watch_;
  EndWatch caller_watch_;
  // state, main strand
  DialogId dialog_ = 0;
  int64_t started_ns_ = 0;
  bool is_answered_ = false;
  bool hanging_up_ = false;
  bool closed_ = false;
  bool unreachable_ = false;
  std::string failure_;  // why we ended the call
  Lifetime alive_;
};

}  // namespace patchbay::sip_trunk
