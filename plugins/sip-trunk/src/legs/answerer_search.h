// AnswererSearch: offers an inbound call to the registered answerers, until one takes or refuses it.
#pragma once

#include <patchbay/function.h>
#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/services/telephony.h>
#include <patchbay/strand.h>

#include <vector>

#include "legs/answerer_offers.h"

namespace patchbay::sip_trunk {

// Main strand.
class AnswererSearch {
 public:
  struct Events {
    // Makes a new instance of the leg and ends the earlier ones, so that an answerer that was passed over
    // cannot control the call.
    Function<Handle()> make_leg;
    // Called once, unless cancelled: with the reply of the answerer that takes or refuses the call, or with
    // an empty one when none does.
    Function<void(const telephony::Taken&)> done;
  };
  // The log and the offers outlive this.
  AnswererSearch(const Host& host, const Log& log, AnswererOffers& offers, Events events);
  ~AnswererSearch() { cancel({}); }

  // Asks the answerers one by one. Call it once. `call`: the leg is added.
  void start(std::vector<RegisteredAnswerer> answerers, telephony::Offer call);
  // done() is not called any more. `how`: of the call's end, for an answerer that takes it too late.
  void cancel(const telephony::Ended& how);

 private:
  void ask(size_t index);
  void on_reply(size_t index, const Result<telephony::Taken>& reply);
  void ask_next(size_t index);
  void finish(const telephony::Taken& taken);

  // borrowed
  const Host& host_;
  const Log& log_;
  AnswererOffers& offers_;
  // owned
  const Events events_;
  std::vector<RegisteredAnswerer> answerers_;
  telephony::Offer call_;
  Timer timeout_;
  // state
  int64_t offer_ = 0;  // 0: no answerer is being asked
  bool is_over_ = false;
  Lifetime alive_;
};

}  // namespace patchbay::sip_trunk
