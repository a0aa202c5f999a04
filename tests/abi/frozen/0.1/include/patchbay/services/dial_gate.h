// DialGateRegistration: registers a dial gate with patchbay.telephony, again each time a provider appears.
// Create and destroy it on the main strand.
//
//   telephony::DialGateRegistration gate_{
//       host(), "office-hours", [this](const telephony::Check&) -> Result<telephony::Verdict> {
//         return telephony::Verdict{is_open(), "the office is closed"};
//       }};
#pragma once

#include <string>

#include "../log.h"
#include "telephony.h"

namespace patchbay::telephony {

class DialGateRegistration {
 public:
  // handler(Check, Reply<Verdict>), which may reply later, or handler(Check) -> Result<Verdict>. It runs on
  // the main strand, never after this object was destroyed.
  template <class F>
  DialGateRegistration(const Host& host, std::string name, F handler)
      : host_(&host), name_(std::move(name)), gate_(host), telephony_(host) {
    gate_.on(DialGate::check, std::move(handler));
    telephony_.on_change([this](bool up) {
      if (up) register_gate();
    });
  }

 private:
  void register_gate() {
    telephony_.call(Telephony::add_gate, {name_, gate_.handle()},
                    [log = Log(*host_), name = name_](const Result<Empty>& done) {
                      if (!done)
                        log.error("a dial gate was refused", {{"gate", name}, {"why", done.error().text}});
                    });
  }

  const Host* host_;
  std::string name_;
  Provision<DialGate> gate_;
  Service<Telephony> telephony_;
};

}  // namespace patchbay::telephony
