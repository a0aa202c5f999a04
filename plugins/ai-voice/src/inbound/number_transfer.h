// NumberTransfer: hands a caller to the AI of another virtual number of the tenant. That AI's conversation
// gets a leg as of a call from a trunk: it is "answered" when its engine is ready, with the audio of the
// caller's real leg, which stays with the first conversation. Lives on that one's strand; its destruction
// ends the other.
#pragma once

#include <patchbay/function.h>
#include <patchbay/service.h>
#include <patchbay/services/telephony.h>

#include <string>

namespace patchbay::ai_voice {

class NumberTransfer {
 public:
  // The handler of on_failed() or on_ended(), which come last, may not destroy this object.
  struct Events {
    Function<void()> on_declined;  // the number is no such virtual number; nothing else follows
    Function<void()> on_ready;     // the AI can talk: call connect() once the caller's audio is free
    Function<void(const std::string& reason)> on_failed;  // instead of on_ready()
    Function<void()> on_ended;                            // the AI has ended the call, after connect()
  };
  // `leg`: the caller's.
  NumberTransfer(const Host& host, StrandId strand, Handle leg, Events events);
  ~NumberTransfer();

  // Offers the caller. `call`: all but the leg.
  void start(Handle answerer, telephony::Offer call);
  // The caller hears the AI from now on.
  void connect(const telephony::Answered& answered);
  // The caller pressed a key, after connect().
  void digit(const std::string& digit);
  // The caller's leg has ended.
  void ended(const telephony::Ended& ended);

 private:
  void on_taken(const Result<telephony::Taken>& taken);
  void on_ready();
  void on_hangup(const std::string& reason);
  void fail(const std::string& reason);
  void report_end(telephony::Ended ended);

  // borrowed
  const Host& host_;
  // owned
  const StrandId strand_;
  const Events events_;
  Provision<telephony::Leg> service_;
  Lease<telephony::Leg> leg_;  // the caller's
  Lease<telephony::Answerer> answerer_;
  Lease<telephony::LegListener> listener_;  // of the other conversation
  // state
  bool is_ready_ = false;
  bool is_connected_ = false;
  bool is_over_ = false;   // no event follows
  bool is_ended_ = false;  // the listener knows
};

}  // namespace patchbay::ai_voice
