// LegControl: the leg methods of answered calls of either direction: hold and send_digits. Main strand.
#pragma once

#include <patchbay/log.h>
#include <patchbay/services/telephony.h>

#include <optional>
#include <string>

#include "legs/leg_media.h"
#include "stack/sip_stack.h"

namespace patchbay::sip_trunk {

class LegControl {
 public:
  // All outlive this.
  LegControl(SipStack& stack, LegMedia& media, const Log& log) : stack_(stack), media_(media), log_(log) {}

  void provide(Provision<telephony::Leg>& service);
  // The methods that answer inbound calls, for legs that are dialled.
  static void refuse_answers(Provision<telephony::Leg>& service);
  // The call has been answered, and its media negotiated.
  void open(DialogId dialog) { dialog_ = dialog; }
  // Another dialog has taken the call over.
  void move(DialogId dialog);
  // The far end's answer to our re-INVITE, which is applied.
  void on_reoffer_answered(const Status& accepted);
  // The call is over.
  void close();

 private:
  void hold(const telephony::Hold& request, Reply<Empty> reply);
  Result<Empty> send_digits(const telephony::Digits& request);

  // borrowed
  SipStack& stack_;
  LegMedia& media_;
  const Log& log_;
  // state
  DialogId dialog_ = 0;  // 0: not answered, or over
  bool wants_held_ = false;
  std::optional<Reply<Empty>> pending_;  // of hold
};

}  // namespace patchbay::sip_trunk
