// InboundUserCall: a call that comes in for a user: rings the user, and joins the caller with the contact
// that answers. Owns both legs through their listeners. Main strand.
#pragma once

#include <patchbay/function.h>
#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/services/audio.h>
#include <patchbay/services/telephony.h>

#include <string>

namespace patchbay::sip_trunk {

class InboundUserCall {
 public:
  using DialFunction = Function<Result<telephony::Dialled>(const telephony::DialUser&)>;
  // `dial`: as Telephony::dial_user. Calls on_closed() last; it may destroy this object.
  InboundUserCall(const Host& host, telephony::Offer offer, int64_t ring_timeout_ms, DialFunction dial,
                  Function<void()> on_closed);

  // For the reply to the offer.
  Handle listener() { return caller_listener_.handle(); }
  // Rings the user. Call it once the reply has been given.
  void start();

 private:
  void listen_to_caller();
  void listen_to_user();
  void on_user_answered(Handle port);
  void on_caller_answered(Handle port);
  void on_user_ended(const telephony::Ended& ended);
  void on_caller_ended();
  void leave();
  void close_when_over();

  // borrowed
  const Host& host_;
  // owned
  const telephony::Offer offer_;
  const int64_t ring_timeout_ms_;
  const Log log_;
  const DialFunction dial_;
  Function<void()> on_closed_;
  Provision<telephony::LegListener> caller_listener_;
  Provision<telephony::LegListener> user_listener_;
  Lease<telephony::Leg> caller_;
  Lease<telephony::Leg> user_;
  Lease<audio::Audio> audio_;
  // state
  Handle user_port_;  // once the user has answered
  int64_t join_ = 0;
  bool user_over_ = false;
  bool caller_over_ = false;
  Lifetime alive_;
};

}  // namespace patchbay::sip_trunk
