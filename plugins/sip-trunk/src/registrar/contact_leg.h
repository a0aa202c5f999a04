// ContactLeg: a call to one telephone that has registered: one INVITE to the address that it registered from,
// then the audio. Main strand.
#pragma once

#include <patchbay/end_watch.h>
#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/services/telephony.h>

#include <string>

#include "legs/call_leg.h"
#include "read_settings.h"
#include "registrar/bindings.h"
#include "stack/sip_stack.h"

namespace patchbay::sip_trunk {

// Destroy it only after on_closed().
class ContactLeg final : public CallLeg {
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

  void start();
  void hangup(const std::string& cancel_reason = {});

 private:
  void on_owner_ended();
  void close(telephony::Ended ended);

  void fail(const std::string& why) override;
  void on_dialog_progress(DialogId id, int status, bool is_early) override;
  void on_dialog_answered(DialogId id, const std::string& sdp, const std::string& peer_ip) override;
  void on_dialog_ended(DialogId id, const DialogEnd& ended) override;

  // owned
  const TrunkAccess access_;
  const Target target_;
  const telephony::RingContact request_;
  Function<void(bool)> on_closed_;
  EndWatch listener_watch_;
  EndWatch caller_watch_;
  // state, main strand
  int64_t started_ns_ = 0;
  bool is_answered_ = false;
  bool hanging_up_ = false;
  bool closed_ = false;
  bool unreachable_ = false;
  std::string failure_;  // why we ended the call
};

}  // namespace patchbay::sip_trunk
