// CallTransfer: the call to the number or user that the AI hands its caller to. One to a number goes through
// the dial gates and routes like every other. Lives on the strand of the conversation; its destruction hangs
// the call up.
#pragma once

#include <patchbay/function.h>
#include <patchbay/service.h>
#include <patchbay/services/telephony.h>

#include <string>

namespace patchbay::ai_voice {

class CallTransfer {
 public:
  // The handler of on_failed() or on_ended(), which come last, may not destroy this object.
  struct Events {
    Function<void(Handle port, const std::string& trunk_id)> on_answered;
    Function<void(const std::string& reason)> on_failed;  // it was not answered
    Function<void(const std::string& digit)> on_digit;    // the far end pressed a key, after its answer
    Function<void()> on_ended;                            // after its answer
  };
  CallTransfer(const Host& host, StrandId strand, Events events);

  // Dials, or rings a user. `request`: all but the listener.
  void start(telephony::Dial request);
  void start(telephony::DialUser request);
  // Sends a key to the far end, after its answer.
  void send_digit(const std::string& digit) { leg_.send(telephony::Leg::send_digits, {digit}); }

 private:
  void on_dialled(const Result<telephony::Dialled>& dialled);
  void fail(const std::string& reason);

  // borrowed
  const Host& host_;
  // owned
  const StrandId strand_;
  const Events events_;
  Provision<telephony::LegListener> listener_;
  Lease<telephony::Telephony> telephony_;
  Lease<telephony::Leg> leg_;
  // state
  bool answered_ = false;
  bool over_ = false;
};

}  // namespace patchbay::ai_voice
