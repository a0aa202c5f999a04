// AnswererRegistration: registers an answerer of inbound calls with patchbay.telephony, again each time a
// provider appears. Create and destroy it on the main strand.
//
//   telephony::AnswererRegistration answerer_{
//       host(), "voicemail", 10, [this](const telephony::Offer& call) -> Result<telephony::Taken> {
//         if (call.did != did_) return telephony::Taken{};  // the next answerer is asked
//         return telephony::Taken{begin(call)};             // the handle of a LegListener
//       }};
#pragma once

#include <string>

#include "../log.h"
#include "telephony.h"

namespace patchbay::telephony {

class AnswererRegistration {
 public:
  // handler(Offer, Reply<Taken>), which may reply later, or handler(Offer) -> Result<Taken>. It runs on the
  // main strand, never after this object was destroyed. `priority`: as in AddAnswerer.
  template <class F>
  AnswererRegistration(const Host& host, std::string name, int64_t priority, F handler)
      : host_(&host), name_(std::move(name)), priority_(priority), answerer_(host), telephony_(host) {
    answerer_.on(Answerer::offer, std::move(handler));
    telephony_.on_change([this](bool up) {
      if (up) register_answerer();
    });
  }

 private:
  void register_answerer() {
    telephony_.call(
        Telephony::add_answerer, {name_, answerer_.handle(), priority_},
        [log = Log(*host_), name = name_](const Result<Empty>& done) {
          if (!done) log.error("an answerer was refused", {{"answerer", name}, {"why", done.error().text}});
        });
  }

  const Host* host_;
  std::string name_;
  int64_t priority_;
  Provision<Answerer> answerer_;
  Service<Telephony> telephony_;
};

}  // namespace patchbay::telephony
