// CallTransfer: the call to the number that the AI hands its caller to. It goes through the dial gates and
// routes like every other one. Lives on the strand of the conversation; its destruction hangs the call up.
#pragma once

#include <patchbay/function.h>
#include <patchbay/service.h>
#include <patchbay/services/telephony.h>

#include <string>

namespace patchbay::ai_voice {

class CallTransfer {
 public:
  // The last one called, on_failed() or on_ended(), may not destroy this object.
  struct Events {
    Function<void(Handle port, const std::string& trunk_id)> on_answered;
    Function<void(const std::string& reason)> on_failed;  // it was not answered
    Function<void()> on_ended;                            // after it was
  };
  CallTransfer(const Host& host, StrandId strand, Events events);

  // Dials. `request`: all but the listener.
  void start(telephony::Dial request);

 private:
  void fail(const std::string& reason);

  // owned
  const Events events_;
  Provision<telephony::LegListener> listener_;
  Lease<telephony::Telephony> telephony_;
  // state
  bool answered_ = false;
  bool over_ = false;
};

}  // namespace patchbay::ai_voice
